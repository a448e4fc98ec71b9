import { AgentError } from './agent-errors.ts';
import type { LedgerErrorCode } from './error-code.ts';

/** A call cannot be run, or not be said to have run, because of what the ledger says about it. */
export class LedgerError extends AgentError {
  override name = 'LedgerError';
  readonly code: LedgerErrorCode;
  readonly toolCallId: string | undefined;
  /** What came of the call, where it has run and the ledger could not be told. */
  readonly outcome: unknown;

  constructor(
    code: LedgerErrorCode,
    message: string,
    more: { toolCallId?: string | undefined; outcome?: unknown; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.toolCallId = more.toolCallId;
    this.outcome = more.outcome;
  }
}
