import { type ReactNode, useState } from 'react';
import type { RunView } from '../client/types.ts';
import { Conversation } from '../holds/conversation.tsx';
import { HoldRow } from '../holds/hold-row.tsx';
import { useLive } from '../live/use-live.ts';
import { Failure, reasonOf } from '../shell/failure.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { onListKey } from '../shell/list-keys.ts';
import { Link } from '../shell/link.tsx';
import { PersonName } from '../shell/people.tsx';
import { PageHeading } from '../shell/page-heading.tsx';
import { Foreign, ForeignLine } from '../text/foreign.tsx';
import { Moment } from '../time/times.tsx';
import { ValueTabs } from '../values/value-tabs.tsx';
import { RUN_STATES } from './run-words.ts';

/** One run: where it is, what waits of it, what was said, and what came of it. */
export function RunPage({ id }: { readonly id: string }): ReactNode {
  const { client } = useInbox();
  const { value, error, reload } = useLive(
    `run ${id}`,
    async () => ({
      run: await client.run(id),
      holds: await client.holds({ runId: id, limit: 50 }),
    }),
    (event) => event.runId === id,
  );
  if (value === undefined) {
    return error === undefined ? (
      <p className="nothing">Looking …</p>
    ) : (
      <Failure error={error} onRetry={reload} />
    );
  }
  const { run, holds } = value;
  return (
    <article className="sheet">
      <header className="sheet-head">
        <PageHeading title={`Run of ${run.agent}`}>
          <span className="eyebrow">Run</span>
          <span className="tool-name">
            <ForeignLine text={run.agent} most={200} />
          </span>
        </PageHeading>
        <p className="sheet-facts">
          <span className={`state ${run.state}`}>{run.state}</span>
          <span>It {RUN_STATES[run.state]}.</span>
          {run.requester !== undefined && (
            <span>
              requested by <PersonName person={run.requester} />
            </span>
          )}
          <span>
            started <Moment at={run.createdAt} />
          </span>
          <Link to={{ name: 'audit', id }}>Its audit</Link>
        </p>
      </header>
      {run.error !== undefined && (
        <div className="notice problem">
          <Foreign text={run.error.message} />
        </div>
      )}
      <RunActions run={run} onDone={reload} />
      {holds.items.length > 0 && (
        <section aria-labelledby="waits-heading">
          <h2 id="waits-heading">What waits of it</h2>
          <ul className="rows" data-rows onKeyDown={onListKey}>
            {holds.items.map((hold) => (
              <HoldRow key={hold.id} hold={hold} isCurrent={false} />
            ))}
          </ul>
        </section>
      )}
      {run.output !== undefined && <ValueTabs value={run.output} label="Output" isProse />}
      <Conversation hold={{ conversationId: run.conversationId, runId: id }} />
      {run.usage !== undefined && <ValueTabs value={run.usage} label="What it has used" />}
    </article>
  );
}

/** What can be done about a run: a stuck one is tried again, a live one is cancelled. */
function RunActions({
  run,
  onDone,
}: {
  readonly run: RunView;
  readonly onDone: () => void;
}): ReactNode {
  const { client, announce } = useInbox();
  const [isSure, setIsSure] = useState(false);
  const [error, setError] = useState<unknown>();
  const isLive = !['finished', 'failed', 'cancelled'].includes(run.state);
  if (!isLive) return null;
  const act = async (action: () => Promise<unknown>, said: string) => {
    setIsSure(false);
    try {
      await action();
      setError(undefined);
      announce(said);
    } catch (problem) {
      setError(problem);
    }
    onDone();
  };
  return (
    <div className="run-actions">
      {error !== undefined && (
        <p className="notice problem" role="alert">
          <ForeignLine text={reasonOf(error) ?? 'The desk could not be reached.'} most={400} />
        </p>
      )}
      {run.state === 'stuck' && (
        <button
          type="button"
          onClick={() => void act(() => client.retry(run.id), 'It is tried again.')}
        >
          Try it again
        </button>
      )}
      {isSure ? (
        <>
          <span>No call of it starts any more. Cancel it?</span>
          <button type="button" onClick={() => setIsSure(false)}>
            No
          </button>
          <button
            type="button"
            className="deny"
            autoFocus
            onClick={() => void act(() => client.cancel(run.id), 'The run is cancelled.')}
          >
            Yes, cancel the run
          </button>
        </>
      ) : (
        <button type="button" onClick={() => setIsSure(true)}>
          Cancel the run …
        </button>
      )}
    </div>
  );
}
