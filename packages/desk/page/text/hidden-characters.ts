import { HIDDEN, isEmojiGlue, numberOf } from '../../src/model/hidden-characters.ts';

export { hasRightToLeft } from '../../src/model/hidden-characters.ts';

/** A stretch of a text from outside. */
export type TextPiece =
  /** It can be shown as it is. */
  | { readonly kind: 'plain'; readonly text: string }
  /** It could not be seen: the numbers of its characters, for people. */
  | { readonly kind: 'hidden'; readonly marks: string; readonly count: number };

/** Text from outside, with all that cannot be seen in it set apart. Line breaks and tabs are layout. */
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

/** A text from outside as one plain text, for titles and messages where no marks can stand. */
export function visibleText(text: string): string {
  return piecesOf(text)
    .map((piece) => (piece.kind === 'plain' ? piece.text : piece.marks))
    .join('');
}

function isLayout(text: string, index: number): boolean {
  const character = text[index];
  return character === '\n' || character === '\t' || text.startsWith('\r\n', index);
}

/** `⟨U+200B⟩`, or `⟨U+200B ×40⟩` for one that is repeated. */
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
