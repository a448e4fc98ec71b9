import { HIDDEN, isEmojiGlue, numberOf } from '../../src/model/hidden-characters.ts';

export { hasRightToLeft } from '../../src/model/hidden-characters.ts';

/** A part of an untrusted text: visible characters, or the code points of hidden ones. */
export type TextPiece =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'hidden'; readonly marks: string; readonly count: number };

/** Splits an untrusted text into visible and hidden characters. Line breaks and tabs are visible. */
export function piecesOf(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  let run: string[] = [];
  const endRun = () => {
    if (run.length > 0) pieces.push({ kind: 'hidden', marks: marksOf(run), count: run.length });
    run = [];
  };
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    if (isLayout(text, index) || isEmojiGlue(text, index)) continue;
    if (index > end) {
      endRun();
      pieces.push({ kind: 'plain', text: text.slice(end, index) });
    }
    run.push(character);
    end = index + character.length;
  }
  endRun();
  if (end < text.length) pieces.push({ kind: 'plain', text: text.slice(end) });
  return pieces;
}

/** Returns an untrusted text with hidden characters as code points, for titles and attributes. */
export function visibleText(text: string): string {
  return piecesOf(text)
    .map((piece) => (piece.kind === 'plain' ? piece.text : piece.marks))
    .join('');
}

function isLayout(text: string, index: number): boolean {
  const character = text[index];
  return character === '\n' || character === '\t' || text.startsWith('\r\n', index);
}

/** Returns `⟨U+200B⟩`, or `⟨U+200B ×40⟩` for repeated characters. */
function marksOf(characters: readonly string[]): string {
  const marks: string[] = [];
  for (let at = 0; at < characters.length; ) {
    const character = characters[at] ?? '';
    let times = 1;
    while (characters[at + times] === character) times += 1;
    marks.push(`⟨${numberOf(character)}${times > 1 ? ` ×${times}` : ''}⟩`);
    at += times;
  }
  return marks.join('');
}
