import { AgentError } from '../../errors/agent-errors.ts';
import { ModelError } from '../../errors/model-errors.ts';
import { isThrown, messageOf } from '../../errors/thrown.ts';

/** Fields that an error of the AI SDK or of the network may have. */
interface ErrorFields {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly statusCode?: unknown;
  readonly responseBody?: unknown;
}

/**
 * Converts an error that the AI SDK threw before a response started.
 *
 * Errors of the provider and of the network become a {@link ModelError}. A cancellation of the run, and errors
 * such as a missing key or an unsupported setting, stay unchanged.
 */
export function toRequestError(error: unknown, modelName: string, signal: AbortSignal): unknown {
  if (signal.aborted || isThrown(error, AgentError)) return error;
  if (statusOf(error) !== undefined) return statusError(error, modelName);
  if (!API_ERRORS.has(errorFieldsOf(error).name) && !isNetworkError(error)) return error;
  return new ModelError(
    `Model \`${modelName}\` sent no valid response: ${describeError(error)}. ` +
      'Check the network and the address of the provider, then try again.',
    { modelName, cause: error },
  );
}

/** Converts an error that was thrown after a response started. Every such error is a failure of the model. */
export function toStreamError(error: unknown, modelName: string, signal: AbortSignal): unknown {
  if (signal.aborted || isThrown(error, AgentError)) return error;
  if (statusOf(error) !== undefined) return statusError(error, modelName);
  return incompleteResponse(modelName, describeError(error), error);
}

/** Returns the error for a response that ended early. */
export function incompleteResponse(modelName: string, reason: string, cause?: unknown): ModelError {
  return new ModelError(
    `The response of model \`${modelName}\` is incomplete: ${reason}. ` +
      'Try again, or use `fallbackModel()` with further models.',
    { modelName, cause },
  );
}

function statusError(error: unknown, modelName: string): ModelError {
  const status = statusOf(error);
  return new ModelError(
    `The request to model \`${modelName}\` failed with status ${status}: ${describeError(error)}. ${adviceFor(status)}`,
    { modelName, status, cause: error },
  );
}

function errorFieldsOf(error: unknown): ErrorFields {
  if (typeof error !== 'object' || error === null) return { message: error };
  try {
    const { name, message, code, cause, statusCode, responseBody }: ErrorFields = error;
    return { name, message, code, cause, statusCode, responseBody };
  } catch {
    // A getter of the error threw.
    return {};
  }
}

/** Returns the HTTP status of a rejected request. A response that is merely invalid has a lower one. */
function statusOf(error: unknown): number | undefined {
  const { statusCode } = errorFieldsOf(error);
  return typeof statusCode === 'number' && statusCode >= 400 ? statusCode : undefined;
}

/** Errors of the AI SDK that are caused by a response of the provider. */
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
  // The run was not cancelled, so this is a time limit of the client.
  if (name === 'TimeoutError' || name === 'AbortError') return true;
  if (isThrown(error, TypeError) && FETCH_FAILURE.test(messageOf(error))) return true;
  const inner = errorFieldsOf(cause).code;
  return [code, inner].some((known) => typeof known === 'string' && NETWORK_CODE.test(known));
}

const EXCERPT = 300;

function describeError(error: unknown): string {
  const { message, responseBody } = errorFieldsOf(error);
  const body = typeof responseBody === 'string' ? excerpt(responseBody) : '';
  const text = excerpt(typeof message === 'string' ? message : messageOf(error)).replace(/\.$/, '');
  return body === '' || body === text ? text : `${text} (${body})`;
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
      return 'Check the API key and its permissions.';
    case 404:
      return 'Check the name of the model and the address of the provider.';
    case 413:
      return 'The conversation is too large for the provider. Use a shorter history.';
    case 429:
      return 'Send fewer requests or raise the rate limit of your account, then try again.';
    default:
      return status >= 500
        ? 'The provider failed. Try again, or use `fallbackModel()` with further models.'
        : 'The provider rejected the request. Check the settings and tools that it names.';
  }
}
