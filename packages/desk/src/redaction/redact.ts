import type { JsonValue } from 'holdpoint';

/**
 * The parts of a tool's arguments that people do not see: members with these names, at any depth, or
 * everything that the function leaves out of the arguments.
 */
export type RedactArgs = readonly string[] | ((args: JsonValue) => JsonValue);

/** The parts of a tool's calls that people do not see. */
export interface RedactCall {
  readonly args: RedactArgs;
  /**
   * Returns the preview that people see. The desk itself finds the values of redacted arguments in
   * a preview. Use this for a tool that shows them in another form, such as the last digits of a
   * number.
   */
  readonly preview?: ((preview: JsonValue) => JsonValue) | undefined;
}

/** A rule for one tool. */
export type RedactRule = RedactArgs | RedactCall;

/** The parts of tool calls that people do not see, by tool name. */
export type Redact = Readonly<Record<string, RedactRule>>;

/** The text that replaces a redacted value. */
export const REDACTED = '[redacted]';
