import type { ReactNode } from 'react';
import { useLive } from '../live/use-live.ts';
import { Failure } from '../shell/failure.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { countOf } from '../text/beginning.ts';
import { ForeignLine } from '../text/foreign.tsx';

/** Whether the audit of a run is as it was written, as far as that can be known. */
export function VerificationNotice({ runId }: { readonly runId: string }): ReactNode {
  const { client } = useInbox();
  const { value, error, reload } = useLive(
    `verification ${runId}`,
    () => client.verifyAudit(runId),
    (event) => event.runId === runId,
  );
  if (value === undefined) {
    if (error === undefined) return <p className="notice">Checking …</p>;
    return <Failure error={error} onRetry={reload} />;
  }
  const { ok, problems, checkedEntries, blindSpots } = value;
  return (
    <div className={ok ? 'notice good' : 'notice problem'}>
      <p>
        <strong>{ok ? 'The chain holds.' : 'The chain does not hold.'}</strong>{' '}
        {countOf(checkedEntries)} entries were checked.
      </p>
      {problems.length > 0 && (
        <ul>
          {problems.map(({ message }) => (
            <li key={message}>
              <ForeignLine text={message} most={400} />
            </li>
          ))}
        </ul>
      )}
      {blindSpots.length > 0 && (
        <details>
          <summary>What this cannot find</summary>
          <ul>
            {blindSpots.map((text) => (
              <li key={text}>
                <ForeignLine text={text} most={400} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
