import type { JsonValue } from 'holdpoint';
import { type ReactNode, useState } from 'react';
import { descriptionOf, labelOf, type Schema, schemaOfMember } from '../form/schema.ts';
import { counted, countOf } from '../text/beginning.ts';
import { Foreign, ForeignLine } from '../text/foreign.tsx';
import { isObject } from './json-path.ts';
import { jsonText } from './json-text.ts';
import { QuotedText } from './quoted-text.tsx';

const FIRST = 30;
const DEEPEST = 8;

interface ValueProps {
  readonly value: JsonValue;
  readonly schema?: Schema | undefined;
  readonly root?: Schema | undefined;
  readonly depth?: number | undefined;
  /** Whether the value, if it is a text, is a sentence to read and not data: it has no quotes then. */
  readonly isProse?: boolean | undefined;
}

/**
 * A value for people to read: members with their names, lists with their positions. Texts are quoted, so
 * that values of different types never look the same.
 */
export function ValueView({
  value,
  schema = {},
  root = schema,
  depth = 0,
  isProse = false,
}: ValueProps): ReactNode {
  if (typeof value === 'string') return <TextValue text={value} isProse={isProse} />;
  if (typeof value !== 'object' || value === null) {
    return <span className="value-plain">{wordOf(value)}</span>;
  }
  if (depth >= DEEPEST) return <Foreign text={jsonText(value)} />;
  const entries: readonly Entry[] = isObject(value)
    ? Object.entries(value).map(([name, one]) => ({ step: name, value: one }))
    : value.map((one: JsonValue, step: number) => ({ step, value: one }));
  if (entries.length === 0) {
    return <em className="value-empty">{isObject(value) ? 'empty object' : 'empty list'}</em>;
  }
  return <Members entries={entries} schema={schema} root={root} depth={depth} />;
}

interface Entry {
  readonly step: string | number;
  readonly value: JsonValue;
}

interface MembersProps {
  readonly entries: readonly Entry[];
  readonly schema: Schema;
  readonly root: Schema;
  readonly depth: number;
}

function Members({ entries, schema, root, depth }: MembersProps): ReactNode {
  const [most, setMost] = useState(FIRST);
  return (
    <>
      <dl className={depth === 0 ? 'members' : 'members nested'}>
        {entries.slice(0, most).map(({ step, value }) => (
          <Member key={step} step={step} value={value} schema={schema} root={root} depth={depth} />
        ))}
      </dl>
      {entries.length > most && (
        <p className="foreign-note">
          {countOf(most)} of {countOf(entries.length)} are shown.{' '}
          <button type="button" className="text-button" onClick={() => setMost(most * 4)}>
            Show more of them
          </button>
        </p>
      )}
    </>
  );
}

function Member({
  step,
  value,
  schema,
  root,
  depth,
}: MembersProps['entries'][0] & Omit<MembersProps, 'entries'>): ReactNode {
  const inside = schemaOfMember(schema, step, root);
  const description = descriptionOf(inside);
  return (
    <div className="member">
      <dt>
        {typeof step === 'number' ? (
          `${step + 1}.`
        ) : (
          <Foreign text={nameOf(labelOf(inside, step))} first={200} />
        )}
      </dt>
      <dd>
        <ValueView value={value} schema={inside} root={root} depth={depth + 1} />
        {description !== undefined && (
          <small className="member-about">
            <ForeignLine text={description} most={300} />
          </small>
        )}
      </dd>
    </div>
  );
}

const LONG = 200;
/** Texts that are longer than a screen are opened by those who want to read them. */
const FIRST_OF_TEXT = 800;

function TextValue({
  text,
  isProse,
}: {
  readonly text: string;
  readonly isProse: boolean;
}): ReactNode {
  if (text === '') return <em className="value-empty">empty text</em>;
  if (text.length < LONG && !text.includes('\n')) {
    return isProse ? <Foreign text={text} /> : <QuotedText text={text} />;
  }
  return (
    <div className="long-text">
      <Foreign text={text} first={FIRST_OF_TEXT} />
      {text.length <= FIRST_OF_TEXT && (
        <small className="foreign-note">{counted(text.length, 'character')}.</small>
      )}
    </div>
  );
}

/** A name of a member that cannot be taken for the position of an item. */
function nameOf(label: string): string {
  return /^\s*\d+\.\s*$/.test(label) ? JSON.stringify(label) : label;
}

function wordOf(value: number | boolean | null): string {
  if (value === null) return 'nothing';
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}
