import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';

const MAX_NAME = 128;

/** Throws a `UserError` for a tool name that providers reject. */
export function requireToolName(name: string): void {
  requireNameText('The tool name', name);
}

/** Throws a `UserError` for a text that makes a tool name that providers reject. */
export function requireNameText(what: string, text: unknown): void {
  if (typeof text !== 'string') {
    throw new UserError(`${what} is ${showValue(text)}. Pass a text.`);
  }
  if (text.length <= MAX_NAME && /^[A-Za-z0-9_.:-]+$/.test(text)) return;
  throw new UserError(
    `${what} \`${text.slice(0, MAX_NAME)}\` is one that providers reject. Use 1 to ${MAX_NAME} letters, digits, ` +
      '`_`, `-`, `.` or `:`.',
  );
}
