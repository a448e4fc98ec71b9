import { type ReactNode, useState } from 'react';
import type { Grant } from '../client/types.ts';
import { scopeWords } from '../holds/remember-words.ts';
import { reasonOf } from '../shell/failure.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { Link } from '../shell/link.tsx';
import { PersonName } from '../shell/people.tsx';
import { ForeignLine } from '../text/foreign.tsx';
import { visibleText } from '../text/hidden-characters.ts';
import { Moment, TimeLeft } from '../time/times.tsx';
import { useNow } from '../time/use-now.ts';
import { ValueView } from '../values/value-view.tsx';

const MATCHES: Readonly<Record<Grant['match']['kind'], string>> = {
  any: 'with any arguments',
  same: 'with the same arguments',
  contains: 'that have these arguments',
};

/** One grant: what it lets run, who gave it, how much of it is left, and a button that ends it. */
export function GrantCard({
  grant,
  onRevoked,
}: {
  readonly grant: Grant;
  readonly onRevoked: () => void;
}): ReactNode {
  const { toolName, scope, match, by, createdAt, holdId } = grant;
  return (
    <li className="card">
      <h2 className="tool-name">
        <ForeignLine text={toolName} most={100} />
      </h2>
      <p>
        Calls {MATCHES[match.kind]} {scopeWords(scope)} run without being asked about.
      </p>
      {match.args !== undefined && <ValueView value={match.args} />}
      <p className="sheet-facts">
        <span>
          given by{' '}
          {by.map((person, at) => (
            <span key={person.id}>
              {at > 0 && ' and '}
              <PersonName person={person} />
            </span>
          ))}
        </span>
        <Moment at={createdAt} />
        <Link to={{ name: 'hold', id: holdId }}>with this call</Link>
      </p>
      <GrantState grant={grant} onRevoked={onRevoked} />
    </li>
  );
}

function GrantState({
  grant,
  onRevoked,
}: {
  readonly grant: Grant;
  readonly onRevoked: () => void;
}): ReactNode {
  const { client, announce } = useInbox();
  const [error, setError] = useState<unknown>();
  const now = useNow(10_000);
  const { toolName, expiresAt, uses, used, revokedAt, revokedBy } = grant;
  const isOver =
    (expiresAt !== undefined && expiresAt <= now) || (uses !== undefined && used >= uses);
  const revoke = async () => {
    try {
      await client.revokeGrant(grant.id);
      announce('The grant is revoked.');
    } catch (problem) {
      setError(problem);
    }
    onRevoked();
  };
  return (
    <>
      <p className="sheet-facts">
        <span className="chip">
          used {used} {uses === undefined ? 'times' : `of ${uses} times`}
        </span>
        {revokedAt === undefined && expiresAt !== undefined && <TimeLeft until={expiresAt} />}
        {revokedAt !== undefined && (
          <span>
            revoked <Moment at={revokedAt} />
            {revokedBy !== undefined && (
              <>
                {' by '}
                <PersonName person={revokedBy} />
              </>
            )}
          </span>
        )}
      </p>
      {error !== undefined && (
        <p className="notice problem" role="alert">
          <ForeignLine text={reasonOf(error) ?? 'The desk could not be reached.'} most={400} />
        </p>
      )}
      {revokedAt === undefined && !isOver && (
        <button type="button" className="deny" onClick={() => void revoke()}>
          Revoke<span className="visually-hidden"> the grant for {visibleText(toolName)}</span>
        </button>
      )}
    </>
  );
}
