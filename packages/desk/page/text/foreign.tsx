import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { beginningOf, counted, countOf } from './beginning.ts';
import { hasRightToLeft, piecesOf } from './hidden-characters.ts';

/** How much of a text is shown at first, and how much more at a time when a lot was asked for. */
const FIRST = 2_000;
const MOST_AT_ONCE = 100_000;

/**
 * Text that a model, a tool or a client wrote, as text and nothing else. What cannot be seen has its
 * number, what is cut is said, and it cannot change the direction of what is around it.
 */
export function Foreign({
  text,
  first = FIRST,
}: {
  readonly text: string;
  /** How much is shown at first. */
  readonly first?: number | undefined;
}): ReactNode {
  const [most, setMost] = useState(first);
  const { text: beginning, shown, whole } = useMemo(() => beginningOf(text, most), [text, most]);
  return (
    <>
      <bdi className="foreign">
        <Pieces text={beginning} />
      </bdi>
      {hasRightToLeft(beginning) && (
        <small className="foreign-note">Has letters that are written from the right.</small>
      )}
      {shown < whole && (
        <small className="foreign-note">
          {countOf(shown)} of {counted(whole, 'character')} are shown.{' '}
          <button
            type="button"
            className="text-button"
            onClick={() => setMost(Math.min(most * 10, most + MOST_AT_ONCE))}
          >
            Show more of it
          </button>
        </small>
      )}
    </>
  );
}

/** The same on one line, for lists: the beginning, and how much there is. */
export function ForeignLine({
  text,
  most = 160,
}: {
  readonly text: string;
  readonly most?: number | undefined;
}): ReactNode {
  const { text: beginning, shown, whole } = beginningOf(text, most);
  return (
    <>
      <bdi className="foreign-line">
        <Pieces text={beginning} />
      </bdi>
      {shown < whole && (
        <small className="foreign-more"> … and {counted(whole - shown, 'character')} more</small>
      )}
    </>
  );
}

function Pieces({ text }: { readonly text: string }): ReactNode {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return pieces.map((piece, at) =>
    piece.kind === 'plain' ? (
      // Pieces of a text have no names but their places.
      // oxlint-disable-next-line react/no-array-index-key
      <Fragment key={at}>{piece.text}</Fragment>
    ) : (
      <mark
        // oxlint-disable-next-line react/no-array-index-key
        key={at}
        className="hidden-mark"
        title={`${counted(piece.count, 'character')} that cannot be seen`}
      >
        {piece.marks}
      </mark>
    ),
  );
}
