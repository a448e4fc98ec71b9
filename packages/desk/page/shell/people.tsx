import type { ReactNode } from 'react';
import type { Person } from '../client/types.ts';
import { ForeignLine } from '../text/foreign.tsx';
import { useInbox } from './inbox-context.ts';

/** Somebody's name, with the id that the application knows them by, since names can be chosen. */
export function PersonName({ person }: { readonly person: Person }): ReactNode {
  const { me } = useInbox();
  return (
    <span className="person">
      <ForeignLine text={person.name ?? person.id} most={200} />
      {person.name !== undefined && person.name !== person.id && (
        <small className="person-id">
          {' '}
          (<ForeignLine text={person.id} most={200} />)
        </small>
      )}
      {me?.person.id === person.id && <small className="person-id"> — you</small>}
    </span>
  );
}
