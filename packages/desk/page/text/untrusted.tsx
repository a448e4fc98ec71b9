import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { formatCount, formatNumber, startOf } from './format.ts';
import { hasRightToLeft, piecesOf } from './hidden-characters.ts';

const FIRST = 2_000;
const MAX_STEP = 100_000;

/**
 * Text that a model, a tool or a client wrote, as plain text. Hidden characters are shown by their
 * code points, and a cut is stated. The text cannot change the direction of the text around it.
 */
export function UntrustedText({
  text,
  first = FIRST,
}: {
  readonly text: string;
  /** The number of characters that are shown at first. */
  readonly first?: number | undefined;
}): ReactNode {
  const [max, setMax] = useState(first);
  const start = useMemo(() => startOf(text, max), [text, max]);
  return (
    <>
      <bdi className="untrusted">
        <Pieces text={start.text} />
      </bdi>
      {hasRightToLeft(start.text) && (
        <small className="text-note">Contains letters that are written from right to left.</small>
      )}
      {start.text.length < start.length && (
        <small className="text-note">
          {formatNumber(start.text.length)} of {formatCount(start.length, 'character')} shown.{' '}
          <button
            type="button"
            className="text-button"
            onClick={() => setMax(Math.min(max * 10, max + MAX_STEP))}
          >
            Show more text
          </button>
        </small>
      )}
    </>
  );
}

/** The start of such a text on one line, for lists. */
export function UntrustedLine({
  text,
  max = 160,
}: {
  readonly text: string;
  readonly max?: number | undefined;
}): ReactNode {
  const start = startOf(text, max);
  const rest = start.length - start.text.length;
  return (
    <>
      <bdi className="untrusted-line">
        <Pieces text={start.text} />
      </bdi>
      {rest > 0 && (
        <small className="text-rest"> … and {formatCount(rest, 'more character')}</small>
      )}
    </>
  );
}

function Pieces({ text }: { readonly text: string }): ReactNode {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return pieces.map((piece, index) =>
    piece.kind === 'plain' ? (
      // oxlint-disable-next-line react/no-array-index-key -- pieces have no other identity
      <Fragment key={index}>{piece.text}</Fragment>
    ) : (
      <mark
        // oxlint-disable-next-line react/no-array-index-key -- as above
        key={index}
        className="hidden-mark"
        title={formatCount(piece.count, 'hidden character')}
      >
        {piece.marks}
      </mark>
    ),
  );
}
