import { AgentError } from '../../errors/agent-errors.ts';
import { ModelError } from '../../errors/model-errors.ts';
import { isThrown, messageOf } from '../../errors/thrown.ts';

/** What an error of the AI SDK or of the network may tell. */
interface ErrorFields {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly statusCode?: unknown;
  readonly responseBody?: unknown;
}

/**
 * What a request to a model is to fail with, given what the AI SDK threw.
 *
 * Errors of the provider and of the network become a {@link ModelError}. The run's own abort, and
 * what has nothing to do with the connection (a missing key, an unsupported setting), stay as they are.
 */
export function toRequestError(error: unknown, modelName: string, signal: AbortSignal): unknown {
  if (signal.aborted || isThrown(error, AgentError)) return error;
  if (statusOf(error) !== undefined) return statusError(error, modelName);
  if (!API_ERRORS.has(errorFieldsOf(error).name) && !isNetworkError(error)) return error;
  return new ModelError(
    `No usable answer from ${modelName}: ${describeError(error)}. ` +
      'Check the network and the address of the provider, then try again.',
    { modelName, cause: error },
  );
}

/** What an answer that has begun is to fail with: whatever was thrown, the model failed. */
export function toStreamError(error: unknown, modelName: string, signal: AbortSignal): unknown {
  if (signal.aborted || isThrown(error, AgentError)) return error;
  if (statusOf(error) !== undefined) return statusError(error, modelName);
  return incompleteResponse(modelName, describeError(error), error);
}

/** The answer ended before it was complete. */
export function incompleteResponse(modelName: string, reason: string, cause?: unknown): ModelError {
  return new ModelError(
    `The answer of ${modelName} broke off: ${reason}. ` +
      'Ask again, or name other models to turn to with fallbackModel().',
    { modelName, cause },
  );
}

function statusError(error: unknown, modelName: string): ModelError {
  const status = statusOf(error);
  return new ModelError(
    `${modelName} answered with status ${status}: ${describeError(error)}. ${adviceFor(status)}`,
    { modelName, status, cause: error },
  );
}

function errorFieldsOf(error: unknown): ErrorFields {
  if (typeof error !== 'object' || error === null) return { message: error };
  try {
    const { name, message, code, cause, statusCode, responseBody }: ErrorFields = error;
    return { name, message, code, cause, statusCode, responseBody };
  } catch {
    // It cannot be read, so it tells nothing.
    return {};
  }
}

/** The status of a refusal; an answer that only turned out to be useless has a good one. */
function statusOf(error: unknown): number | undefined {
  const { statusCode } = errorFieldsOf(error);
  return typeof statusCode === 'number' && statusCode >= 400 ? statusCode : undefined;
}

/** Errors of the AI SDK that are about what the provider answered. */
const API_ERRORS: ReadonlySet<unknown> = new Set([
  'AI_APICallError',
  'AI_EmptyResponseBodyError',
  'AI_InvalidResponseDataError',
  'AI_NoContentGeneratedError',
  'AI_RetryError',
]);

const NETWORK_CODE =
  /^(ECONN\w+|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|E(HOST|NET)\w+|UND_ERR_\w+|Connection\w+|FailedToOpenSocket)$/;
const FETCH_FAILURE = /^(fetch failed|failed to fetch|load failed|network ?error|terminated)/i;

function isNetworkError(error: unknown): boolean {
  const { name, code, cause } = errorFieldsOf(error);
  // An abort that is not the run's: the client's own time limit.
  if (name === 'TimeoutError' || name === 'AbortError') return true;
  if (isThrown(error, TypeError) && FETCH_FAILURE.test(messageOf(error))) return true;
  const inner = errorFieldsOf(cause).code;
  return [code, inner].some((known) => typeof known === 'string' && NETWORK_CODE.test(known));
}

const EXCERPT = 300;

function describeError(error: unknown): string {
  const { message, responseBody } = errorFieldsOf(error);
  const body = typeof responseBody === 'string' ? excerpt(responseBody) : '';
  const said = excerpt(typeof message === 'string' ? message : messageOf(error)).replace(/\.$/, '');
  return body === '' || body === said ? said : `${said} (${body})`;
}

function excerpt(text: string): string {
  const line = text
    .slice(0, 4 * EXCERPT)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line;
}

function adviceFor(status = 0): string {
  switch (status) {
    case 401:
    case 403:
      return 'Check the API key and what it may be used for.';
    case 404:
      return 'Check the name of the model and the address of the provider.';
    case 413:
      return 'The conversation is too large for the provider: shorten it.';
    case 429:
      return 'Slow down or raise the limit of your account, then try again.';
    default:
      return status >= 500
        ? 'The provider has a problem: try again, or name other models with fallbackModel().'
        : 'The provider does not accept the request: change what it complains about.';
  }
}
