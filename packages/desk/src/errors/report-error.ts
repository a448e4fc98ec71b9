import { visible } from '../model/visible.ts';

/** Facts about an error that no caller gets. */
export interface ErrorContext {
  readonly tenant?: string | undefined;
  /** The run that the error is about. */
  readonly runId?: string | undefined;
  /** The request that failed. The caller has the same id. */
  readonly requestId?: string | undefined;
  /** The consequence for a run: it is retried later, it is stuck until an operator retries it, or it failed. */
  readonly outcome?: 'retried' | 'stuck' | 'failed' | undefined;
}

/** Receives errors that no caller gets. Their messages may contain anything: see where you write them. */
export type OnError = (error: unknown, context: ErrorContext) => void;

/** Reports an error to the operator. It never throws. */
export type ReportError = (error: unknown, context?: ErrorContext) => void;

/** Returns a function that reports errors to `onError`, or prints them on standard error if it is missing. */
export function reporterOf(onError: OnError | undefined): ReportError {
  if (onError === undefined) return printError;
  return (error, context = {}) => void callOnError(onError, error, context);
}

/** An `onError` that fails must not hide the error that it got. */
async function callOnError(onError: OnError, error: unknown, context: ErrorContext): Promise<void> {
  try {
    await onError(error, context);
  } catch (thrown) {
    printError(error, context);
    printError(thrown);
  }
}

/** Prints an error on standard error, in one line. */
export function printError(error: unknown, context: ErrorContext = {}): void {
  console.error(`holdpoint desk: ${errorLine(error, context)}`);
}

/** Returns an error in one line, with its code, its causes and what it is about. */
export function errorLine(error: unknown, context: ErrorContext = {}): string {
  const { outcome, ...ids } = context;
  const about = Object.entries(ids)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`);
  const result = outcome === undefined ? [] : [`outcome=${outcome}`];
  const line = [textOf(error), ...about, ...result].join(' ');
  return visible(line.replaceAll(/\s*\n\s*/g, ' '));
}

const MAX_CAUSES = 5;
const MAX_MESSAGE = 2_000;

function textOf(error: unknown): string {
  const texts: string[] = [];
  let cause: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && cause !== undefined; depth++) {
    texts.push(messageOf(cause));
    cause = memberOf(cause, 'cause');
  }
  return texts.join(' Cause: ');
}

function messageOf(error: unknown): string {
  const code = memberOf(error, 'code');
  const marker = typeof code === 'string' || typeof code === 'number' ? `[${code}] ` : '';
  const message = memberOf(error, 'message');
  const name = memberOf(error, 'name');
  const text =
    typeof message === 'string'
      ? `${typeof name === 'string' ? name : 'Error'}: ${message}`
      : plain(error);
  return `${marker}${text.slice(0, MAX_MESSAGE)}`;
}

/** Thrown values may have getters that throw. */
function memberOf(value: unknown, name: string): unknown {
  try {
    return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  } catch {
    return undefined;
  }
}

function plain(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'A value that cannot be shown was thrown.';
  }
}
