import { type ReactNode, useId } from 'react';
import type { Hold } from '../client/types.ts';
import { visibleText } from '../text/hidden-characters.ts';

/** Chooses on whose behalf the viewer decides. `undefined` is the viewer's own authority. */
export function ActingAs({
  viewer,
  value,
  onChange,
}: {
  readonly viewer: Hold['viewer'];
  readonly value: string | undefined;
  readonly onChange: (personId: string | undefined) => void;
}): ReactNode {
  const id = useId();
  const { onBehalfOf = [], asSelf = true } = viewer;
  if (onBehalfOf.length === 0) return null;
  return (
    <p className="acting-as">
      <label htmlFor={id}>Decide</label>{' '}
      <select
        id={id}
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      >
        {asSelf && <option value="">for yourself</option>}
        {onBehalfOf.map((person) => (
          <option key={person.id} value={person.id}>
            on behalf of {visibleText(person.name ?? person.id)}
          </option>
        ))}
      </select>
    </p>
  );
}

/** Returns the person on whose behalf the viewer decides: the chosen one, or the first if they have no own authority. */
export function actingFor(
  { onBehalfOf = [], asSelf = true }: Hold['viewer'],
  chosen: string | undefined,
): string | undefined {
  if (onBehalfOf.some(({ id }) => id === chosen)) return chosen;
  return asSelf ? undefined : onBehalfOf[0]?.id;
}
