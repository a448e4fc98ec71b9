import {
  AgentError,
  FallbackModelsError,
  LedgerError,
  ModelError,
  UnexpectedModelBehavior,
  UsageLimitExceeded,
  UserError,
} from 'holdpoint';
import { DeskError } from '../errors/desk-error.ts';
import { TamperedError } from '../errors/tampered-error.ts';
import type { RunProblem } from '../model/run-row.ts';

/**
 * Returns what users see of an error: a stable code, and a text without data from drivers, providers and
 * functions of the application. The error itself goes to `onError`.
 */
export function problemOf(error: unknown): RunProblem {
  if (error instanceof ModelError) return { code: error.code, message: modelMessage(error) };
  const isOwn = error instanceof AgentError || error instanceof DeskError;
  if (!isOwn) return { code: 'internal', message: INTERNAL };
  const isSafe = error.cause === undefined && !(error instanceof FallbackModelsError);
  // A message that wraps another error repeats its text.
  const message = isSafe ? `${error.name}: ${error.message}` : INTERNAL;
  return { code: error.code, message: message.slice(0, MAX_MESSAGE) };
}

const MAX_MESSAGE = 2_000;

const INTERNAL =
  'An error inside of the desk or the application stopped the run. The log of the desk has the details, under the id of the run.';

function modelMessage({ modelName, status }: ModelError): string {
  const what = status === undefined ? 'gave no usable response' : `responded with status ${status}`;
  return `The model ${modelName} ${what}. The log of the desk has the details, under the id of the run.`;
}

/** Whether trying again would come to the same: the run went beyond its limits, or its model does not do what it must. */
export function isFinal(error: unknown): boolean {
  return error instanceof UsageLimitExceeded || error instanceof UnexpectedModelBehavior;
}

/**
 * Whether somebody has to see to it before it makes sense to try again: the code that runs here does not
 * fit what is stored, the ledger does not know what has run, or the provider does not accept the API key.
 */
export function needsSomebody(error: unknown): boolean {
  if (error instanceof UserError || error instanceof TamperedError) return true;
  if (isKeyRejected(error)) return true;
  if (!(error instanceof LedgerError)) return false;
  return error.code === 'step-forgotten' || error.code === 'broken-entry';
}

/** An operator has to set the API key: the next attempt would fail in the same way. */
function isKeyRejected(error: unknown): boolean {
  if (error instanceof FallbackModelsError) return error.errors.every(isKeyRejected);
  if (error instanceof ModelError) return error.status === 401 || error.status === 403;
  return error instanceof Error && error.name === 'AI_LoadAPIKeyError';
}
