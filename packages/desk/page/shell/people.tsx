import type { ReactNode } from 'react';
import type { Person } from '../client/types.ts';
import { UntrustedLine } from '../text/untrusted.tsx';
import { useInbox } from './inbox-context.ts';

/** A person's name with their id, because people can choose their names. */
export function PersonName({ person }: { readonly person: Person }): ReactNode {
  const { me } = useInbox();
  return (
    <span className="person">
      <UntrustedLine text={person.name ?? person.id} max={200} />
      {person.name !== undefined && person.name !== person.id && (
        <small className="person-id">
          {' '}
          (<UntrustedLine text={person.id} max={200} />)
        </small>
      )}
      {me?.person.id === person.id && <small className="person-id"> – you</small>}
    </span>
  );
}
