import { UserError } from 'holdpoint';
import { checkFunction, checkOptions, kindOf } from '../model/check-keys.ts';
import { LOG_LEVELS, type LogFields, type Logger, type LogLevel } from './logger.ts';

/** Options of {@link jsonLogger}. */
export interface JsonLoggerOptions {
  /** The least severe level that is written; `info` by default. */
  readonly level?: LogLevel | undefined;
  /** Writes a line, which ends with a line break; to standard error by default. */
  readonly write?: ((line: string) => void) | undefined;
}

/** Creates a logger that writes one line of JSON for each message: the default of a desk, on standard error. */
export function jsonLogger(options: JsonLoggerOptions = {}): Logger {
  checkOptions<JsonLoggerOptions>('`jsonLogger`', options, { level: true, write: true });
  const { level = 'info', write = writeToStandardError } = options;
  checkFunction('write', write);
  if (!LOG_LEVELS.includes(level)) {
    throw new UserError(`\`level\` is ${kindOf(level)}. Use one of: ${LOG_LEVELS.join(', ')}.`);
  }
  const isWritten = (one: LogLevel) => LOG_LEVELS.indexOf(one) <= LOG_LEVELS.indexOf(level);
  const loggerWith = (shared: LogFields): Logger => {
    const logAt = (one: LogLevel) => (fields: LogFields, msg: string) => {
      if (!isWritten(one)) return;
      const head = { level: one, time: new Date().toISOString(), name: 'holdpoint' };
      write(`${lineOf({ ...head, ...shared, ...fields, msg })}\n`);
    };
    return {
      error: logAt('error'),
      warn: logAt('warn'),
      info: logAt('info'),
      debug: logAt('debug'),
      child: (fields) => loggerWith({ ...shared, ...fields }),
    };
  };
  return loggerWith({});
}

const ignoreError = () => {};

/** A log without a reader must not end the process, because calls may be executing. */
function writeToStandardError(line: string): void {
  const { stderr } = process;
  if (!stderr.listeners('error').includes(ignoreError)) stderr.on('error', ignoreError);
  stderr.write(line);
}

/** Omits a field without a JSON form, because logging must not fail an operation. */
function lineOf(line: LogFields): string {
  try {
    return withoutControlCharacters(JSON.stringify(line));
  } catch {
    const { level, time, name, msg } = line;
    return JSON.stringify({ level, time, name, msg });
  }
}

/** JSON does not escape these, and terminals interpret some of them. */
function withoutControlCharacters(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
