import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode, RefObject } from 'react';
import type { Person } from '../client/types.ts';
import { Moment } from '../time/times.tsx';
import { FailureText } from './failure.tsx';
import { useInbox } from './inbox-context.ts';
import { PersonName } from './people.tsx';

/** The time at which a grant or a delegation was revoked, and the person who did it. */
export function Revocation({
  at,
  by,
}: {
  readonly at: string;
  readonly by: Person | undefined;
}): ReactNode {
  return (
    <span>
      Revoked <Moment at={at} />
      {by !== undefined && (
        <>
          {' by '}
          <PersonName person={by} />
        </>
      )}
    </span>
  );
}

/** A button that revokes a grant or a delegation. */
export function RevokeButton({
  revoke,
  queryKey,
  announcement,
  heading,
  children,
}: {
  readonly revoke: () => Promise<unknown>;
  /** The key of the query to load again. */
  readonly queryKey: readonly unknown[];
  /** The text for screen readers after it was revoked. */
  readonly announcement: string;
  /** The element that gets the focus afterwards, because the button disappears. */
  readonly heading: RefObject<HTMLElement | null>;
  /** The name of the revoked item, for screen readers. */
  readonly children: ReactNode;
}): ReactNode {
  const { announce } = useInbox();
  const cache = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: revoke,
    onSuccess() {
      announce(announcement);
      heading.current?.focus();
    },
    onSettled: () => cache.invalidateQueries({ queryKey }),
  });
  return (
    <>
      {error !== null && (
        <p className="notice problem" role="alert">
          <FailureText error={error} />
        </p>
      )}
      <button type="button" className="deny" disabled={isPending} onClick={() => mutate()}>
        Revoke<span className="visually-hidden"> {children}</span>
      </button>
    </>
  );
}
