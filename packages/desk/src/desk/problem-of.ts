import {
  AgentError,
  LedgerError,
  UnexpectedModelBehavior,
  UsageLimitExceeded,
  UserError,
} from 'holdpoint';
import { DeskError } from '../errors/desk-error.ts';
import { TamperedError } from '../errors/tampered-error.ts';
import type { RunProblem } from '../model/run-row.ts';

/** What went wrong, as it is stored. */
export function problemOf(error: unknown): RunProblem {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const isCoded = error instanceof AgentError || error instanceof DeskError;
  const code = isCoded ? error.code : undefined;
  return { message: message.slice(0, LONGEST), ...(code !== undefined && { code }) };
}

const LONGEST = 2_000;

/** Whether trying again would come to the same: the run went beyond its limits, or its model does not do what it must. */
export function isFinal(error: unknown): boolean {
  return error instanceof UsageLimitExceeded || error instanceof UnexpectedModelBehavior;
}

/**
 * Whether somebody has to see to it before it makes sense to try again: the code that runs here does not
 * fit what is stored, or the ledger does not know what has run.
 */
export function needsSomebody(error: unknown): boolean {
  if (error instanceof UserError || error instanceof TamperedError) return true;
  if (!(error instanceof LedgerError)) return false;
  return error.code === 'step-forgotten' || error.code === 'broken-entry';
}
