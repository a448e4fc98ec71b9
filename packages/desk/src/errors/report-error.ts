import { errorFields } from './error-fields.ts';
import { jsonLogger } from './json-logger.ts';
import type { TaskKind } from '../model/task-row.ts';
import type { DeskTelemetry } from '../telemetry/desk-telemetry.ts';
import type { LogFields, Logger, LogLevel } from './logger.ts';

/** Facts about an error that no caller gets. */
export interface ErrorContext {
  readonly tenant?: string | undefined;
  /** The run that the error is about. */
  readonly runId?: string | undefined;
  /** The request that failed. The caller has the same id. */
  readonly requestId?: string | undefined;
  /** The task that failed, if it is not a run: a notification, an expiry or a webhook. */
  readonly taskKind?: TaskKind | undefined;
  readonly taskId?: string | undefined;
  /** The consequence for a run: it is retried later, it is stuck until an operator retries it, or it failed. */
  readonly outcome?: 'retried' | 'stuck' | 'failed' | undefined;
}

/** Receives errors that no caller gets. Their messages may contain secrets, so choose where you write them. */
export type OnError = (error: unknown, context: ErrorContext) => void;

/** Reports an error to the operator. It never throws. */
export type ReportError = (error: unknown, context?: ErrorContext) => void;

/** The options for reports to operators. */
export interface ReportOptions {
  readonly telemetry?: Pick<DeskTelemetry, 'eventLogged'> | undefined;
  readonly logger?: Logger | undefined;
  readonly onError?: OnError | undefined;
}

/** The ways in which the desk reports to operators. */
export interface Reporter {
  /** Reports errors that no caller gets. */
  readonly onError: ReportError;
  /** Receives all other lines. Its methods never throw. */
  readonly logger: Logger;
}

/**
 * Returns the reporter for the options. Errors are log lines, unless `onError` is given without a `logger`: then
 * only `onError` receives them. Lines go to standard error unless there is a logger.
 */
export function reporterOf({ logger: given, onError, telemetry }: ReportOptions): Reporter {
  const logger = safeLogger(given ?? defaultLogger, telemetry);
  const logged: ReportError = (error, context = {}) => logError(logger, error, context);
  if (onError === undefined) return { logger, onError: logged };
  return {
    logger,
    onError(error, context = {}) {
      if (given !== undefined) logged(error, context);
      else telemetry?.eventLogged(lineFor(errorFields(error).name, context)[1]);
      void callOnError(onError, error, context);
    },
  };
}

const defaultLogger = jsonLogger();

/** Logs an error on standard error. */
export function logToStandardError(error: unknown, context: ErrorContext = {}): void {
  logError(defaultLogger, error, context);
}

/** An `onError` that fails must not hide the error that it got. */
async function callOnError(onError: OnError, error: unknown, context: ErrorContext): Promise<void> {
  try {
    await onError(error, context);
  } catch (thrown) {
    logToStandardError(error, context);
    logToStandardError(thrown);
  }
}

type Line = readonly [level: LogLevel, event: string, message: string];

const LINES: Readonly<Record<NonNullable<ErrorContext['outcome']>, Line>> = {
  retried: ['warn', 'attempt-failed', 'An attempt of the run failed. A worker retries it.'],
  stuck: ['error', 'run-stuck', 'The run is stuck until an operator retries or cancels it.'],
  failed: ['error', 'run-failed', 'The run failed and is not retried.'],
};

/** Log lines for errors with their own event, by the names of their classes. */
const LINES_BY_NAME: Readonly<Record<string, Line>> = {
  WebhookGivenUpError: ['error', 'delivery-given-up', 'A webhook was given up.'],
  TaskGivenUpError: ['error', 'task-given-up', 'A task was given up.'],
};

function logError(logger: Logger, error: unknown, context: ErrorContext): void {
  const { outcome: _, ...ids } = context;
  const err = errorFields(error);
  const [level, event, message] = lineFor(err.name, context);
  const given = Object.entries(ids).filter(([, value]) => value !== undefined);
  logger[level]({ event, ...Object.fromEntries(given), err }, message);
}

function lineFor(name: string, { outcome, requestId, taskKind }: ErrorContext): Line {
  if (outcome !== undefined) return LINES[outcome];
  if (Object.hasOwn(LINES_BY_NAME, name)) return LINES_BY_NAME[name] ?? UNEXPECTED;
  if (taskKind !== undefined) return TASK_FAILED;
  return requestId === undefined ? UNEXPECTED : REQUEST_FAILED;
}

const UNEXPECTED: Line = ['error', 'error', 'An error occurred outside of runs and requests.'];
const TASK_FAILED: Line = [
  'warn',
  'attempt-failed',
  'An attempt of the task failed. A worker retries it.',
];
const REQUEST_FAILED: Line = ['error', 'request-failed', 'A request failed.'];

/** A logger that throws must not fail the operation that it logs. */
function safeLogger(logger: Logger, telemetry: ReportOptions['telemetry']): Logger {
  const safely = (level: LogLevel) => (fields: LogFields, message: string) => {
    telemetry?.eventLogged(String(fields['event']));
    try {
      logger[level]({ ...fields }, message);
    } catch (thrown) {
      defaultLogger[level]({ ...fields }, message);
      defaultLogger.error(
        { event: 'logger-failed', err: errorFields(thrown) },
        'The logger threw.',
      );
    }
  };
  return {
    error: safely('error'),
    warn: safely('warn'),
    info: safely('info'),
    debug: safely('debug'),
  };
}
