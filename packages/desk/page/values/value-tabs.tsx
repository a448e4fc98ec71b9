import type { JsonValue } from 'holdpoint';
import { type ReactNode, useMemo, useState } from 'react';
import type { Schema } from '../form/schema.ts';
import { Foreign } from '../text/foreign.tsx';
import { jsonText } from './json-text.ts';
import { ValueView } from './value-view.tsx';

/** A value to read, which can also be shown as JSON. */
export function ValueTabs({
  value,
  schema,
  label,
  isProse,
  level = 2,
}: {
  readonly value: JsonValue;
  readonly schema?: Schema | undefined;
  readonly label: string;
  /** See `ValueView`. */
  readonly isProse?: boolean | undefined;
  /** Of the heading. */
  readonly level?: 2 | 3 | undefined;
}): ReactNode {
  const [isJson, setIsJson] = useState(false);
  const Heading = `h${level}` as const;
  return (
    <div className="value-tabs">
      <div className="value-tabs-head">
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
      <Foreign text={text} />
    </div>
  );
}
