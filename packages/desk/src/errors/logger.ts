import { UserError } from 'holdpoint';
import { kindOf } from '../model/check-keys.ts';

/** Facts about a log line, such as `runId`. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Receives the log lines of a desk. A logger of `pino` has this shape.
 *
 * Fields never contain arguments, prompts, tokens or cookies.
 */
export interface Logger {
  error(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
  /** Returns a logger that adds the fields to every line. */
  child?(fields: LogFields): Logger;
}

/** The levels of log lines, the most severe first. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;

/** The level of a log line. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Throws unless an optional logger has the methods of one. */
export function checkLogger(logger: Logger | undefined): void {
  // Programs without types pass anything.
  const given: unknown = logger;
  if (given === undefined) return;
  const missing = LOG_LEVELS.find((level) => typeof Object(given)[level] !== 'function');
  if (missing === undefined) return;
  throw new UserError(
    `\`logger\` is ${kindOf(given)} without the method \`${missing}\`. Pass a logger of \`pino\`, or an object with ` +
      '`error`, `warn`, `info` and `debug`, each called with fields and a message.',
  );
}
