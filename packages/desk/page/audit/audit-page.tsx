import type { ReactNode } from 'react';
import { useAudit, useVerification } from '../client/queries.ts';
import type { AuditEntry, AuditVerification } from '../client/types.ts';
import { Loaded } from '../shell/failure.tsx';
import { Link } from '../shell/link.tsx';
import { PageHeading } from '../shell/page-heading.tsx';
import { PersonName } from '../shell/people.tsx';
import { formatCount, humanise } from '../text/format.ts';
import { UntrustedLine } from '../text/untrusted.tsx';
import { LocalTime } from '../time/times.tsx';
import { ValueView } from '../values/value-view.tsx';

/** The audit of a run, with the state of its hash chain. */
export function AuditPage({ id }: { readonly id: string }): ReactNode {
  const audit = useAudit(id);
  const verification = useVerification(id);
  return (
    <article className="sheet audit">
      <header className="sheet-head">
        <PageHeading title="Audit of a run" />
        <p className="sheet-facts">
          <Link to={{ name: 'run', id }}>Open the run</Link>
        </p>
      </header>
      <Loaded query={verification}>{(report) => <VerificationNotice report={report} />}</Loaded>
      <Loaded query={audit}>
        {({ pages }) => (
          <ol className="audit-list">
            {pages
              .flatMap(({ items }) => items)
              .map((entry) => (
                <AuditEntryView key={entry.number} entry={entry} />
              ))}
          </ol>
        )}
      </Loaded>
      {audit.hasNextPage && (
        <p className="list-more">
          <button
            type="button"
            disabled={audit.isFetchingNextPage}
            onClick={() => void audit.fetchNextPage()}
          >
            Show more
          </button>
        </p>
      )}
    </article>
  );
}

function VerificationNotice({
  report: { ok, problems, checkedEntries, blindSpots },
}: {
  readonly report: AuditVerification;
}): ReactNode {
  return (
    <div className={ok ? 'notice good' : 'notice problem'}>
      <p>
        <strong>{ok ? 'The hash chain is intact.' : 'The hash chain is broken.'}</strong>{' '}
        {formatCount(checkedEntries, 'entry', 'entries')} verified.
      </p>
      <TextList texts={problems.map(({ message }) => message)} />
      {blindSpots.length > 0 && (
        <details>
          <summary>Limits of this verification</summary>
          <TextList texts={blindSpots} />
        </details>
      )}
    </div>
  );
}

function TextList({ texts }: { readonly texts: readonly string[] }): ReactNode {
  if (texts.length === 0) return null;
  return (
    <ul>
      {texts.map((text) => (
        <li key={text}>
          <UntrustedLine text={text} max={400} />
        </li>
      ))}
    </ul>
  );
}

function AuditEntryView({
  entry: { number, at, kind, by, data, hash },
}: {
  readonly entry: AuditEntry;
}): ReactNode {
  return (
    <li value={number}>
      <p className="audit-head">
        <b>{humanise(kind)}</b>
        {by !== undefined && (
          <span>
            by <PersonName person={by} />
          </span>
        )}
        <LocalTime at={at} />
      </p>
      <details>
        <summary>
          Details<span className="visually-hidden"> of entry {number}</span>
        </summary>
        <ValueView value={data} depth={1} />
        <p className="digest">
          <UntrustedLine text={hash} max={100} />
        </p>
      </details>
    </li>
  );
}
