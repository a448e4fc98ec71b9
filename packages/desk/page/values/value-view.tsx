import type { JsonValue } from 'holdpoint';
import { type ReactNode, useMemo, useState } from 'react';
import { descriptionOf, labelOf, type Schema, schemaOfMember } from '../form/schema.ts';
import { formatCount, formatNumber } from '../text/format.ts';
import { UntrustedLine, UntrustedText } from '../text/untrusted.tsx';
import { isObject } from './json-path.ts';
import { jsonText, looksLikeData } from './json-text.ts';

const FIRST = 30;
const MAX_DEPTH = 8;

interface ValueProps {
  readonly value: JsonValue;
  readonly schema?: Schema | undefined;
  readonly root?: Schema | undefined;
  readonly depth?: number | undefined;
  /** True for a sentence to read: it has no quotes. */
  readonly isProse?: boolean | undefined;
}

/** A value to read: labelled members, numbered items, quoted texts. Values of different types look different. */
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
  if (depth >= MAX_DEPTH) return <UntrustedText text={jsonText(value)} />;
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
  const [max, setMax] = useState(FIRST);
  return (
    <>
      <dl className={depth === 0 ? 'members' : 'members nested'}>
        {entries.slice(0, max).map(({ step, value }) => (
          <Member key={step} step={step} value={value} schema={schema} root={root} depth={depth} />
        ))}
      </dl>
      {entries.length > max && (
        <p className="text-note">
          {formatNumber(max)} of {formatNumber(entries.length)} shown.{' '}
          <button type="button" className="text-button" onClick={() => setMax(max * 4)}>
            Show more
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
          <UntrustedText text={nameOf(labelOf(inside, step))} first={200} />
        )}
      </dt>
      <dd>
        <ValueView value={value} schema={inside} root={root} depth={depth + 1} />
        {description !== undefined && (
          <small className="member-about">
            <UntrustedLine text={description} max={300} />
          </small>
        )}
      </dd>
    </div>
  );
}

const LONG = 200;
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
    return isProse ? <UntrustedText text={text} /> : <QuotedText text={text} />;
  }
  return (
    <div className="long-text">
      <UntrustedText text={text} first={FIRST_OF_TEXT} />
      {text.length <= FIRST_OF_TEXT && (
        <small className="text-note">{formatCount(text.length, 'character')}.</small>
      )}
    </div>
  );
}

/** Returns the label of a member. A label that resembles the number of an item is quoted. */
function nameOf(label: string): string {
  return /^\s*\d+\.\s*$/.test(label) ? JSON.stringify(label) : label;
}

function wordOf(value: number | boolean | null): string {
  if (value === null) return 'nothing';
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}

/**
 * A text in quotes. A text that resembles a value of another type is also labelled as a text, for
 * screen readers that omit quotes.
 */
export function QuotedText({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="value-text">
      {looksLikeData(text) && <span className="visually-hidden">text </span>}
      <span className="value-quote">"</span>
      <UntrustedText text={text} />
      <span className="value-quote">"</span>
    </span>
  );
}

/** A value with a heading, which can also be shown as JSON. */
export function ValueSection({
  value,
  schema,
  label,
  isProse,
  level = 2,
}: Pick<ValueProps, 'value' | 'schema' | 'isProse'> & {
  readonly label: string;
  /** The level of the heading. */
  readonly level?: 2 | 3 | undefined;
}): ReactNode {
  const [isJson, setIsJson] = useState(false);
  const Heading = `h${level}` as const;
  return (
    <div className="value-section">
      <div className="value-section-head">
        <Heading>{label}</Heading>
        <button
          type="button"
          className="text-button"
          aria-pressed={isJson}
          onClick={() => setIsJson(!isJson)}
        >
          Show as JSON
        </button>
      </div>
      {isJson ? (
        <JsonBlock value={value} />
      ) : (
        <ValueView value={value} schema={schema} isProse={isProse} />
      )}
    </div>
  );
}

/** A value as JSON. */
export function JsonBlock({ value }: { readonly value: JsonValue }): ReactNode {
  const text = useMemo(() => jsonText(value), [value]);
  return (
    <div className="json">
      <UntrustedText text={text} />
    </div>
  );
}
