import { type ReactNode, useRef } from 'react';
import { MAX_GRANTS, queryKeys, useGrants } from '../client/queries.ts';
import type { Grant } from '../client/types.ts';
import { scopeText } from '../holds/hold-text.ts';
import { CardList } from '../shell/card-list.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { Link } from '../shell/link.tsx';
import { PageHeading } from '../shell/page-heading.tsx';
import { PersonName } from '../shell/people.tsx';
import { Revocation, RevokeButton } from '../shell/revocation.tsx';
import { humanise } from '../text/format.ts';
import { visibleText } from '../text/hidden-characters.ts';
import { UntrustedLine } from '../text/untrusted.tsx';
import { useNow } from '../time/clock.ts';
import { Moment, TimeLeft, toMs } from '../time/times.tsx';
import { ValueView } from '../values/value-view.tsx';

/** The grants, the latest first. */
export function GrantsPage(): ReactNode {
  const query = useGrants();
  return (
    <section aria-labelledby="grants-heading">
      <div className="list-head">
        <PageHeading id="grants-heading" title="Grants" />
      </div>
      <p className="lead">
        Approvals in advance. Calls that match a grant are executed without an approval request.
      </p>
      <CardList query={query} empty="There are no grants." maxItems={MAX_GRANTS}>
        {(grant) => <GrantCard key={grant.id} grant={grant} />}
      </CardList>
    </section>
  );
}

const MATCHES: Readonly<Record<Grant['match']['kind'], string>> = {
  any: 'with any arguments',
  same: 'with the same arguments',
  contains: 'with these arguments',
};

function GrantCard({ grant }: { readonly grant: Grant }): ReactNode {
  const { toolName, scope, match, by, createdAt, holdId, uses, used } = grant;
  const { expiresAt, revokedAt, revokedBy } = grant;
  const { client } = useInbox();
  const heading = useRef<HTMLHeadingElement>(null);
  const now = useNow(10_000);
  const isUsedUp = uses !== undefined && used >= uses;
  const isExpired = expiresAt !== undefined && toMs(expiresAt) <= now;
  const isLive = revokedAt === undefined && !isUsedUp && !isExpired;
  return (
    <li className="card">
      <h2 ref={heading} tabIndex={-1}>
        <UntrustedLine text={humanise(toolName)} max={100} />{' '}
        <code className="tool-name">
          <UntrustedLine text={toolName} max={100} />
        </code>
      </h2>
      <p>
        Approves calls {MATCHES[match.kind]} {scopeText(scope)}.
      </p>
      {match.args !== undefined && <ValueView value={match.args} />}
      <p className="sheet-facts">
        <span>
          Granted by{' '}
          {by.map((person, index) => (
            <span key={person.id}>
              {index > 0 && ' and '}
              <PersonName person={person} />
            </span>
          ))}
        </span>
        <Moment at={createdAt} />
        <Link to={{ name: 'hold', id: holdId }}>Open the hold</Link>
      </p>
      <p className="sheet-facts">
        <span className="chip">
          Used {used} {uses === undefined ? 'times' : `of ${uses} times`}
        </span>
        {revokedAt === undefined && expiresAt !== undefined && <TimeLeft until={expiresAt} />}
        {revokedAt !== undefined && <Revocation at={revokedAt} by={revokedBy} />}
      </p>
      {isLive && (
        <RevokeButton
          revoke={() => client.revokeGrant(grant.id)}
          queryKey={queryKeys.grants}
          announcement="The grant is revoked."
          heading={heading}
        >
          the grant for {visibleText(toolName)}
        </RevokeButton>
      )}
    </li>
  );
}
