import { visible } from '../model/visible.ts';

/** Characters with a meaning in the markup of chat platforms, and look-alikes without one. */
const STAND_INS: ReadonlyMap<string, string> = new Map([
  ['<', '＜'],
  ['>', '＞'],
  ['&', '＆'],
  ['*', '＊'],
  ['_', '＿'],
  ['~', '∼'],
  ['`', '｀'],
  ['@', '＠'],
  ['#', '＃'],
  ['[', '［'],
  [']', '］'],
  ['|', '｜'],
  ['\\', '＼'],
  [':', '꞉'],
  ['.', '․'],
  ['/', '∕'],
]);

const ARE_STAND_INS = new RegExp(`[${[...STAND_INS.values()].join('')}]`, 'gu');

/**
 * Active characters: markup, a colon that may begin an address or an emoji, a dot that may be a
 * part of an address, and a slash that may begin a command to a bot.
 */
const ACTIVE =
  /[<>&*_~`@#[\]|\\]|:(?=\S)|(?<=[\p{L}\p{N}])\.(?=\p{L})|(?<![\p{L}\p{N}/])\/(?=\w+(?![\w/]))/gu;

/**
 * Returns an untrusted text that has no markup, mentions, commands, emoji and links on any chat
 * platform. Invisible characters become codes. Platforms have no common way to escape, so active
 * characters become look-alikes. A look-alike in the original becomes a code, so two different
 * texts never appear the same because of this.
 */
export function plainText(text: string): string {
  return visible(text)
    .replaceAll(ARE_STAND_INS, codeOf)
    .replaceAll(ACTIVE, (character) => STAND_INS.get(character) ?? codeOf(character));
}

/**
 * Returns the same for a text with line breaks. Each line is marked, so that it cannot resemble a
 * line of the card.
 */
export function plainLines(text: string): string {
  const lines = plainText(text).split('\n');
  return lines.map((line) => `│ ${line}`).join('\n');
}

/** Returns the maximum length of a text of a card on a platform: some escape each punctuation character with another. */
export function lengthOnPlatform(text: string): number {
  return text.length + (text.match(/[!-/:-@[-`{-~]/g)?.length ?? 0);
}

function codeOf(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `⟨U+${number.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
