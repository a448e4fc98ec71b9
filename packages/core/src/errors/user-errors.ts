import { AgentError } from './agent-errors.ts';
import type { ErrorCode, UserErrorCode } from './error-code.ts';
import { quoteIds } from './quote-ids.ts';

/** The framework was used in a way that cannot work; the message says what to change. */
export class UserError extends AgentError {
  override name = 'UserError';
  /** `user-error`, unless a program may want to tell it apart. */
  readonly code: ErrorCode;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly code?: UserErrorCode | undefined } = {},
  ) {
    super(message, options);
    this.code = options.code ?? 'user-error';
  }
}

/** A document from outside does not have the shape it must have. */
export class InvalidJsonError extends UserError {
  override name = 'InvalidJsonError';
  override readonly code = 'invalid-json';
  /** Where in the document the first mistake is, such as `messages[3].parts[0].toolName`. */
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
  /** The calls without an answer. */
  readonly toolCallIds: readonly string[];

  /** `problem` says what happened, where it is something else than a resume with too few answers. */
  constructor(toolCallIds: readonly string[], problem?: string) {
    super(
      problem ??
        'Nothing was run: calls that wait have no answer. Answer all of them at once. ' +
          `Tool call ids: ${quoteIds(toolCallIds)}.`,
    );
    this.toolCallIds = toolCallIds;
  }
}

/** Answers to deferred calls do not fit the calls; nothing was run. */
export class InvalidResultsError extends UserError {
  override name = 'InvalidResultsError';
  override readonly code = 'invalid-results';
  /** The calls whose answers will not do. */
  readonly toolCallIds: readonly string[];

  constructor(toolCallIds: readonly string[], problem: string) {
    super(`Nothing was run. ${problem} Tool call ids: ${quoteIds(toolCallIds)}.`);
    this.toolCallIds = toolCallIds;
  }
}

/** Somebody has resumed this parked run before; nothing was run. */
export class AlreadyResumedError extends UserError {
  override name = 'AlreadyResumedError';
  override readonly code = 'already-resumed';
  /** The step that the run was parked in. */
  readonly step: string;

  constructor(step: string) {
    super(
      'Nothing was run: this parked run was resumed before. Go on with the history of that run, or set ' +
        "onAlreadyResumed to 'replay' to go on a second time with the results that are recorded.",
    );
    this.step = step;
  }
}
