import type { JsonValue } from 'holdpoint';
import type { ReactNode } from 'react';
import { UntrustedLine, UntrustedText } from '../text/untrusted.tsx';
import { jsonText } from '../values/json-text.ts';
import { type JsonPath, pointerOf } from '../values/json-path.ts';
import { QuotedText } from '../values/value-view.tsx';
import { type Change, textChange } from './changes.ts';
import { labelOf, resolved, type Schema, schemaOfMember } from './schema.ts';

/** Lists the differences between two values. */
export function ChangeList({
  changes,
  schema = {},
}: {
  readonly changes: readonly Change[];
  /** The schema of the whole values, for the labels. */
  readonly schema?: Schema | undefined;
}): ReactNode {
  return (
    <ul className="changes">
      {changes.map((change) => (
        <li key={pointerOf(change.path)}>
          <span className="change-path">
            <UntrustedLine text={labelOfPath(change.path, schema)} max={300} />
          </span>
          <ChangeView change={change} />
        </li>
      ))}
    </ul>
  );
}

/** Longer texts are shown whole, without their difference. */
const MAX_COMPARED = 50_000;

function ChangeView({ change: { before, after } }: { readonly change: Change }): ReactNode {
  const areTexts = typeof before === 'string' && typeof after === 'string';
  if (areTexts && before.length + after.length < MAX_COMPARED) {
    const { start, removed, added, end } = textChange(before, after);
    return (
      <div className="change">
        <del>
          <span className="visually-hidden">before: </span>
          <Emphasised start={start} end={end} inside={removed} />
        </del>
        <ins>
          <span className="visually-hidden">now: </span>
          <Emphasised start={start} end={end} inside={added} />
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

/** A text with the changed part emphasised. */
function Emphasised({
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
      {start !== '' && <UntrustedText text={start} />}
      {inside !== '' && (
        <b>
          <UntrustedText text={inside} />
        </b>
      )}
      {end !== '' && <UntrustedText text={end} />}
      <span className="value-quote">"</span>
    </>
  );
}

function Side({ value }: { readonly value: JsonValue | undefined }): ReactNode {
  if (value === undefined) return <em>missing</em>;
  if (typeof value === 'string') return <QuotedText text={value} />;
  return <UntrustedText text={jsonText(value)} />;
}

function labelOfPath(path: JsonPath, root: Schema): string {
  if (path.length === 0) return 'All arguments';
  let schema = resolved(root, root);
  const labels = path.map((step) => {
    schema = schemaOfMember(schema, step, root);
    return typeof step === 'number' ? `${step + 1}.` : labelOf(schema, step);
  });
  return labels.join(' › ');
}
