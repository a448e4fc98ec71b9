import type { JsonValue } from 'holdpoint';

/**
 * What people do not see of the arguments of a tool: members with these names, at whatever depth, or what
 * a function leaves out of the arguments.
 */
export type RedactRule = readonly string[] | ((args: JsonValue) => JsonValue);

/** What people do not see, by the names of tools. */
export type Redact = Readonly<Record<string, RedactRule>>;

/** What stands where something was taken out. */
export const REDACTED = '[redacted]';
