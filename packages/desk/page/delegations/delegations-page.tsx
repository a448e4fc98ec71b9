import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import { MAX_DELEGATIONS, queryKeys, useDelegations } from '../client/queries.ts';
import type { Delegation } from '../client/types.ts';
import { CardList } from '../shell/card-list.tsx';
import { FailureText } from '../shell/failure.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { PageHeading } from '../shell/page-heading.tsx';
import { PersonName } from '../shell/people.tsx';
import { Revocation, RevokeButton } from '../shell/revocation.tsx';
import { UntrustedLine } from '../text/untrusted.tsx';
import { useNow } from '../time/clock.ts';
import { Moment, TimeUntil, toMs } from '../time/times.tsx';

/** The delegations from and to the viewer, and a form for another one. */
export function DelegationsPage(): ReactNode {
  const query = useDelegations();
  return (
    <section aria-labelledby="delegations-heading">
      <div className="list-head">
        <PageHeading id="delegations-heading" title="Delegations" />
      </div>
      <p className="lead">
        While you are away, another person can decide on your behalf. They decide as themselves, and
        neither of you counts twice.
      </p>
      <DelegateForm />
      <CardList query={query} empty="There are no delegations." maxItems={MAX_DELEGATIONS}>
        {(delegation) => <DelegationCard key={delegation.id} delegation={delegation} />}
      </CardList>
    </section>
  );
}

function DelegateForm(): ReactNode {
  const { client, announce } = useInbox();
  const cache = useQueryClient();
  const [person, setPerson] = useState('');
  const [until, setUntil] = useState('');
  const problemId = useId();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      client.delegate({ to: { id: person.trim() }, until: new Date(until).toISOString() }),
    onSuccess() {
      announce('The delegation is created.');
      setPerson('');
      setUntil('');
    },
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.delegations }),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form className="decision-form" aria-describedby={problemId} onSubmit={send}>
      <h2>Delegate your approvals</h2>
      <label>
        Id of the delegate
        <input
          required
          maxLength={200}
          value={person}
          onChange={({ target }) => setPerson(target.value)}
        />
      </label>
      <label>
        Until
        <input
          type="datetime-local"
          required
          value={until}
          onChange={({ target }) => setUntil(target.value)}
        />
      </label>
      <div id={problemId}>
        {error !== null && (
          <p className="notice problem" role="alert">
            <FailureText error={error} />
          </p>
        )}
      </div>
      <div className="form-buttons">
        <button type="submit" className="primary" disabled={isPending}>
          Delegate
        </button>
      </div>
    </form>
  );
}

function DelegationCard({ delegation }: { readonly delegation: Delegation }): ReactNode {
  const { from, to, roles, until, createdAt, revokedAt, revokedBy } = delegation;
  const { client } = useInbox();
  const heading = useRef<HTMLHeadingElement>(null);
  const now = useNow(10_000);
  const isLive = revokedAt === undefined && toMs(until) > now;
  return (
    <li className="card">
      <h2 ref={heading} tabIndex={-1}>
        <PersonName person={to} /> decides on behalf of <PersonName person={from} />
      </h2>
      {roles.length > 0 && (
        <p>
          With the roles <UntrustedLine text={roles.join(', ')} max={200} />.
        </p>
      )}
      <p className="sheet-facts">
        <span>
          Created <Moment at={createdAt} />
        </span>
        {isLive && (
          <span className="chip">
            Ends <TimeUntil at={until} />
          </span>
        )}
        {!isLive && revokedAt === undefined && (
          <span>
            Ended <Moment at={until} />
          </span>
        )}
        {revokedAt !== undefined && <Revocation at={revokedAt} by={revokedBy} />}
      </p>
      {isLive && (
        <RevokeButton
          revoke={() => client.revokeDelegation(delegation.id)}
          queryKey={queryKeys.delegations}
          announcement="The delegation is revoked."
          heading={heading}
        >
          the delegation to <PersonName person={to} />
        </RevokeButton>
      )}
    </li>
  );
}
