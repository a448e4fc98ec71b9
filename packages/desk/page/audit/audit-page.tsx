import { type ReactNode, useState } from 'react';
import type { AuditView } from '../client/types.ts';
import { useLive } from '../live/use-live.ts';
import { Failure } from '../shell/failure.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { Link } from '../shell/link.tsx';
import { PersonName } from '../shell/people.tsx';
import { PageHeading } from '../shell/page-heading.tsx';
import { ForeignLine } from '../text/foreign.tsx';
import { ValueView } from '../values/value-view.tsx';
import { VerificationNotice } from './verification-notice.tsx';

const PAGE = 200;

/** The audit of a run: what happened, when, who did it, and whether it is as it was written. */
export function AuditPage({ id }: { readonly id: string }): ReactNode {
  const { client } = useInbox();
  const [pages, setPages] = useState(1);
  const { value, error, isLoading, reload } = useLive(
    `audit ${id} ${pages}`,
    async () => {
      const entries: AuditView[] = [];
      for (let page = 0; page < pages; page++) {
        const more = await client.audit(id, { after: entries.at(-1)?.number ?? 0, limit: PAGE });
        entries.push(...more);
        if (more.length < PAGE) return { entries, isWhole: true };
      }
      return { entries, isWhole: false };
    },
    (event) => event.runId === id,
  );
  return (
    <article className="sheet audit">
      <header className="sheet-head">
        <PageHeading title="Audit of a run" />
        <p className="sheet-facts">
          <Link to={{ name: 'run', id }}>The run</Link>
        </p>
      </header>
      <VerificationNotice runId={id} />
      {error !== undefined && value === undefined && <Failure error={error} onRetry={reload} />}
      {value !== undefined && (
        <>
          <ol className="audit-list">
            {value.entries.map((entry) => (
              <AuditEntry key={entry.number} entry={entry} />
            ))}
          </ol>
          {!value.isWhole && (
            <p className="list-more">
              <button type="button" disabled={isLoading} onClick={() => setPages(pages + 1)}>
                Show more
              </button>
            </p>
          )}
        </>
      )}
    </article>
  );
}

function AuditEntry({
  entry: { number, at, kind, by, data, hash },
}: {
  readonly entry: AuditView;
}): ReactNode {
  const when = new Date(at);
  return (
    <li value={number}>
      <p className="audit-what">
        <b>{kind.replaceAll('-', ' ')}</b>
        {by !== undefined && (
          <span>
            by <PersonName person={by} />
          </span>
        )}
        <time dateTime={when.toISOString()}>{when.toLocaleString()}</time>
      </p>
      <details>
        <summary>
          Details<span className="visually-hidden"> of entry {number}</span>
        </summary>
        <ValueView value={data} depth={1} />
        <p className="digest">
          <ForeignLine text={hash} most={100} />
        </p>
      </details>
    </li>
  );
}
