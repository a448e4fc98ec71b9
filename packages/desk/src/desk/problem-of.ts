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
 * Returns the part of an error that users see: a stable code, and a text without data from drivers, providers and
 * functions of the application. The error itself goes to `onError`.
 */
export function problemOf(error: unknown): RunProblem {
  if (error instanceof ModelError) return { code: error.code, message: modelMessage(error) };
  const isKnown = error instanceof AgentError || error instanceof DeskError;
  if (!isKnown) return { code: 'internal', message: INTERNAL };
  const isSafe = error.cause === undefined && !(error instanceof FallbackModelsError);
  // A message that wraps another error repeats its text.
  const message = isSafe ? `${error.name}: ${error.message}` : INTERNAL;
  return { code: error.code, message: message.slice(0, MAX_MESSAGE) };
}

const MAX_MESSAGE = 2_000;

const INTERNAL =
  'An internal error of the desk or the application stopped the run. The log of the desk has the details, under the id of the run.';

function modelMessage({ modelName, status }: ModelError): string {
  const what = status === undefined ? 'gave no usable response' : `responded with status ${status}`;
  return `The model ${modelName} ${what}. The log of the desk has the details, under the id of the run.`;
}

/** Returns whether another attempt would fail in the same way: a usage limit, or unexpected behaviour of the model. */
export function isFinal(error: unknown): boolean {
  return error instanceof UsageLimitExceeded || error instanceof UnexpectedModelBehavior;
}

/**
 * Returns whether an operator must act before another attempt: the code does not match the stored
 * run, the ledger has lost a step, or the provider rejects the API key.
 */
export function needsOperator(error: unknown): boolean {
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
