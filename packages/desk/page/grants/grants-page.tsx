import type { ReactNode } from 'react';
import { useLive } from '../live/use-live.ts';
import { Failure } from '../shell/failure.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { PageHeading } from '../shell/page-heading.tsx';
import { GrantCard } from './grant-card.tsx';

const MOST = 200;

/** Approvals that were given for calls to come, and how to take them back. */
export function GrantsPage(): ReactNode {
  const { client } = useInbox();
  const { value, error, isLoading, reload } = useLive(
    'grants',
    () => client.grants({ limit: MOST }),
    ({ kind }) => kind.startsWith('grant-') || kind === 'hold-settled',
  );
  return (
    <section aria-labelledby="grants-heading">
      <div className="list-head">
        <PageHeading id="grants-heading" title="Grants" />
      </div>
      <p className="lead">
        What somebody has approved in advance. Calls that fit are not asked about again.
      </p>
      {error !== undefined && value === undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && isLoading && <p className="nothing">Looking …</p>}
      {value?.items.length === 0 && <p className="nothing">Nothing is granted.</p>}
      <ul className="cards">
        {value?.items.map((grant) => (
          <GrantCard key={grant.id} grant={grant} onRevoked={reload} />
        ))}
      </ul>
      {value?.next !== undefined && (
        <p className="list-more">These are the latest {MOST}. There are more.</p>
      )}
    </section>
  );
}
