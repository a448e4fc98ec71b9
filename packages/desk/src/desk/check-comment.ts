import { UserError } from 'holdpoint';
import { kindOf } from '../model/check-keys.ts';

/** The maximum number of characters of a comment. */
export const MAX_COMMENT_LENGTH = 4_000;

/** Validates the text of a comment. */
export function checkComment(text: string): string {
  // Programs without types pass anything.
  const given: unknown = text;
  if (typeof given !== 'string') throw new UserError(`\`text\` is ${kindOf(given)}. Pass a text.`);
  if (given.trim() === '' || given.length > MAX_COMMENT_LENGTH) {
    throw new UserError(
      `The comment is empty or longer than ${MAX_COMMENT_LENGTH} characters. Pass a shorter text.`,
    );
  }
  // Databases reject the first one, and JSON has no form of lone surrogates.
  return given.replaceAll('\0', '').replaceAll(/\p{Cs}/gu, '\uFFFD');
}
