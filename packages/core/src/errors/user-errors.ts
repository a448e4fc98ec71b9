import { AgentError, type ErrorCode, type UserErrorCode } from './agent-errors.ts';

/** An error in the use of Holdpoint. The message states the change to make. */
export class UserError extends AgentError {
  override name = 'UserError';
  /** `user-error`, or a more specific code. */
  readonly code: ErrorCode;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly code?: UserErrorCode | undefined } = {},
  ) {
    super(message, options);
    this.code = options.code ?? 'user-error';
  }
}

/** A document from outside is not valid. */
export class InvalidJsonError extends UserError {
  override name = 'InvalidJsonError';
  override readonly code = 'invalid-json';
  /** The path of the first mistake in the document, such as `messages[3].parts[0].toolName`. */
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
    this.path = path;
  }
}

/** Some pending calls have neither a decision nor a result; none of them was executed. */
export class MissingResultsError extends UserError {
  override name = 'MissingResultsError';
  override readonly code = 'missing-results';
  /** The calls without a decision or a result. */
  readonly toolCallIds: readonly string[];

  /** `problem` replaces the message, which is about a run that was resumed with too few tool results. */
  constructor(toolCallIds: readonly string[], problem?: string) {
    super(
      problem ??
        'Nothing was executed, because some pending calls have neither a decision nor a result. ' +
          'Pass one for every pending call. ' +
          `Tool call ids: ${quoteIds(toolCallIds)}.`,
    );
    this.toolCallIds = toolCallIds;
  }
}

/** Decisions or results do not match the pending calls. Nothing was executed. */
export class InvalidResultsError extends UserError {
  override name = 'InvalidResultsError';
  override readonly code = 'invalid-results';
  /** The calls with invalid decisions or results. */
  readonly toolCallIds: readonly string[];

  constructor(toolCallIds: readonly string[], problem: string) {
    super(`Nothing was executed. ${problem} Tool call ids: ${quoteIds(toolCallIds)}.`);
    this.toolCallIds = toolCallIds;
  }
}

/** This parked run was resumed before. Nothing was executed. */
export class AlreadyResumedError extends UserError {
  override name = 'AlreadyResumedError';
  override readonly code = 'already-resumed';
  /** The step that the run was parked in. */
  readonly step: string;

  constructor(step: string) {
    super(
      'Nothing was executed, because this parked run was resumed before. Continue with the history of that run, or set ' +
        "`durability: { onAlreadyResumed: 'replay' }` to resume it again with the recorded results.",
    );
    this.step = step;
  }
}

const MAX_IDS = 10;
const MAX_ID_LENGTH = 100;

/** Quotes ids for an error message. Omits ids if the list would be too long to read. */
export function quoteIds(ids: readonly string[]): string {
  return listed(ids, quoteId);
}

/** Quotes tool calls for an error message, by id and tool. */
export function quoteCalls(
  calls: readonly { readonly toolCallId: string; readonly toolName: string }[],
): string {
  return listed(calls, (call) => `${quoteId(call.toolCallId)} (${cut(call.toolName)})`);
}

function listed<T>(items: readonly T[], show: (item: T) => string): string {
  if (items.length === 0) return 'none';
  const more = items.length > MAX_IDS ? ` and ${items.length - MAX_IDS} more` : '';
  return items.slice(0, MAX_IDS).map(show).join(', ') + more;
}

function quoteId(text: string): string {
  return `'${cut(text)}'`;
}

function cut(text: string): string {
  return text.length > MAX_ID_LENGTH ? `${text.slice(0, MAX_ID_LENGTH)}…` : text;
}
