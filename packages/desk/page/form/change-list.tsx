import type { JsonValue } from 'holdpoint';
import type { ReactNode } from 'react';
import { Foreign, ForeignLine } from '../text/foreign.tsx';
import { jsonText } from '../values/json-text.ts';
import { type JsonPath, pointerOf } from '../values/json-path.ts';
import { QuotedText } from '../values/quoted-text.tsx';
import { type Change, textChange } from './changes.ts';
import { labelOf, resolved, type Schema, schemaOfMember } from './schema.ts';

/** What is different between two values, one below the other. */
export function ChangeList({
  changes,
  schema = {},
}: {
  readonly changes: readonly Change[];
  /** Of the values as a whole: it may say what their members are called. */
  readonly schema?: Schema | undefined;
}): ReactNode {
  return (
    <ul className="changes">
      {changes.map((change) => (
        <li key={pointerOf(change.path)}>
          <span className="change-place">
            <ForeignLine text={placeOf(change.path, schema)} most={300} />
          </span>
          <ChangeView change={change} />
        </li>
      ))}
    </ul>
  );
}

/** Longer texts are shown one below the other, without a look at where they differ. */
const LONGEST_COMPARED = 50_000;

function ChangeView({ change: { before, after } }: { readonly change: Change }): ReactNode {
  const areTexts = typeof before === 'string' && typeof after === 'string';
  if (areTexts && before.length + after.length < LONGEST_COMPARED) {
    const { start, removed, added, end } = textChange(before, after);
    return (
      <div className="change">
        <del>
          <span className="visually-hidden">before: </span>
          <Around start={start} end={end} inside={removed} />
        </del>
        <ins>
          <span className="visually-hidden">now: </span>
          <Around start={start} end={end} inside={added} />
        </ins>
      </div>
    );
  }
  return (
    <div className="change">
      <del>
        <span className="visually-hidden">before: </span>
        <Side value={before} />
      </del>
      <ins>
        <span className="visually-hidden">now: </span>
        <Side value={after} />
      </ins>
    </div>
  );
}

function Around({
  start,
  inside,
  end,
}: {
  readonly start: string;
  readonly inside: string;
  readonly end: string;
}): ReactNode {
  return (
    <>
      <span className="value-quote">"</span>
      {start !== '' && <Foreign text={start} />}
      {inside !== '' && (
        <b>
          <Foreign text={inside} />
        </b>
      )}
      {end !== '' && <Foreign text={end} />}
      <span className="value-quote">"</span>
    </>
  );
}

function Side({ value }: { readonly value: JsonValue | undefined }): ReactNode {
  if (value === undefined) return <em>not there</em>;
  if (typeof value === 'string') return <QuotedText text={value} />;
  return <Foreign text={jsonText(value)} />;
}

/** Where a change is, by the names that the form has. */
function placeOf(path: JsonPath, root: Schema): string {
  if (path.length === 0) return 'all of it';
  let schema = resolved(root, root);
  const labels = path.map((step) => {
    schema = schemaOfMember(schema, step, root);
    return typeof step === 'number' ? `${step + 1}.` : labelOf(schema, step);
  });
  return labels.join(' › ');
}
