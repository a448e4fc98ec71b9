import { type ReactNode, type Ref, useEffect, useId, useState } from 'react';
import type { Hold, HoldFilter } from '../client/types.ts';
import { useInbox } from '../shell/inbox-context.ts';
import { deskNow } from '../time/clock.ts';

const HOUR = 3_600_000;

const AGES: ReadonlyMap<string, number> = new Map([
  ['1 hour', HOUR],
  ['1 day', 24 * HOUR],
  ['1 week', 168 * HOUR],
]);

/** The typed and selected values of the filters. */
export interface FilterValues {
  readonly text: string;
  readonly tool: string;
  readonly agent: string;
  readonly requester: string;
  readonly age: string;
}

const NO_VALUES: FilterValues = { text: '', tool: '', agent: '', requester: '', age: '' };
const DEBOUNCE_MS = 250;

/** Keeps the filter of a list. It changes once the person has stopped typing. */
export function useHoldFilter(mine: boolean): {
  readonly filter: HoldFilter;
  readonly values: FilterValues;
  readonly setValues: (values: FilterValues) => void;
} {
  const [values, setValues] = useState(NO_VALUES);
  const [filter, setFilter] = useState<HoldFilter>(() => filterOf(mine, NO_VALUES));
  useEffect(() => {
    if (values === NO_VALUES) return undefined;
    const timer = setTimeout(() => setFilter(filterOf(mine, values)), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [mine, values]);
  return { filter, values, setValues };
}

function filterOf(mine: boolean, { text, tool, agent, requester, age }: FilterValues): HoldFilter {
  const maxAge = AGES.get(age);
  const wanted = { text: text.trim(), tool: tool.trim(), agent, requester: requester.trim() };
  const members = Object.entries(wanted).filter(([, value]) => value !== '');
  return {
    ...(mine && { mine }),
    ...Object.fromEntries(members),
    ...(maxAge !== undefined && { createdBefore: new Date(deskNow() - maxAge).toISOString() }),
  };
}

/** The search and the filters of a list of holds. */
export function HoldFilters({
  values,
  onChange,
  holds,
  searchRef,
}: {
  readonly values: FilterValues;
  readonly onChange: (values: FilterValues) => void;
  /** Their tools and requesters are suggested. */
  readonly holds: readonly Hold[];
  readonly searchRef: Ref<HTMLInputElement>;
}): ReactNode {
  const { me } = useInbox();
  const { text, ...filters } = values;
  const count = Object.values(filters).filter((value) => value !== '').length;
  const set = (name: keyof FilterValues) => (value: string) =>
    onChange({ ...values, [name]: value });
  return (
    <form role="search" className="hold-filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span className="visually-hidden">Search tools, arguments, previews and requesters</span>
        <input
          ref={searchRef}
          type="search"
          placeholder="Search"
          value={text}
          maxLength={200}
          onChange={({ target }) => set('text')(target.value)}
        />
      </label>
      <details>
        <summary>Filters{count > 0 && ` (${count})`}</summary>
        <div className="filter-fields">
          <SuggestField
            label="Tool"
            value={values.tool}
            onChange={set('tool')}
            options={holds.map(({ toolName }) => toolName)}
          />
          <SelectField
            label="Agent"
            value={values.agent}
            onChange={set('agent')}
            options={me?.agents ?? []}
          />
          <SuggestField
            label="Requester id"
            value={values.requester}
            onChange={set('requester')}
            options={holds.flatMap(({ requester }) => requester?.id ?? [])}
          />
          <SelectField
            label="Older than"
            value={values.age}
            onChange={set('age')}
            options={[...AGES.keys()]}
          />
          {count > 0 && (
            <button type="button" onClick={() => onChange({ ...NO_VALUES, text })}>
              Clear filters
            </button>
          )}
        </div>
      </details>
    </form>
  );
}

interface FilterFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly onChange: (value: string) => void;
}

function SuggestField({ label, value, options, onChange }: FilterFieldProps): ReactNode {
  const id = useId();
  return (
    <label>
      {label}
      <input
        type="text"
        list={id}
        value={value}
        maxLength={200}
        placeholder="Any"
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {[...new Set(options)].map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
    </label>
  );
}

function SelectField({ label, value, options, onChange }: FilterFieldProps): ReactNode {
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">Any</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}
