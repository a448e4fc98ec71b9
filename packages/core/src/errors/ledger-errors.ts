import { AgentError } from './agent-errors.ts';
import type { LedgerErrorCode } from './error-code.ts';

/** A call cannot execute or settle because of its ledger entry, or because the ledger failed. */
export class LedgerError extends AgentError {
  override name = 'LedgerError';
  readonly code: LedgerErrorCode;
  readonly toolCallId: string | undefined;
  /** The outcome of a call that executed but could not be settled. */
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
