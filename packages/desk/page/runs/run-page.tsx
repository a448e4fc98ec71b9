import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { isOutsideAgent } from '../../src/model/request-facts.ts';
import { queryKeys, useHoldsOfRun, useRun } from '../client/queries.ts';
import type { RunView } from '../client/types.ts';
import { Conversation } from '../holds/hold-page.tsx';
import { HoldRow } from '../holds/hold-row.tsx';
import { FailureText, Loaded } from '../shell/failure.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { onListKey } from '../shell/keyboard.ts';
import { Link } from '../shell/link.tsx';
import { PageHeading } from '../shell/page-heading.tsx';
import { PersonName } from '../shell/people.tsx';
import { UntrustedLine, UntrustedText } from '../text/untrusted.tsx';
import { Moment } from '../time/times.tsx';
import { ValueSection } from '../values/value-view.tsx';
import { meaningOf, USAGE } from './run-text.ts';

/** A run: its state, its open holds, its conversation and its output. */
export function RunPage({ id }: { readonly id: string }): ReactNode {
  const query = useRun(id);
  return <Loaded query={query}>{(run) => <RunSheet run={run} />}</Loaded>;
}

function RunSheet({ run }: { readonly run: RunView }): ReactNode {
  const { data: holds = [] } = useHoldsOfRun(run.id);
  const heading = useRef<HTMLHeadingElement>(null);
  const title = run.prompt ?? `Run of ${run.agent}`;
  return (
    <article className="sheet">
      <header className="sheet-head">
        <PageHeading title={title} ref={heading}>
          <span className="eyebrow">Run</span>
          <UntrustedLine text={title} max={200} />
        </PageHeading>
        <p className="sheet-facts">
          <span className={`state ${run.state}`}>{run.state}</span>
          <span>{meaningOf(run)}</span>
          <code className="tool-name">
            <UntrustedLine text={run.agent} max={80} />
          </code>
          {run.requester !== undefined && (
            <span>
              Requested by <PersonName person={run.requester} />
            </span>
          )}
          <span>
            Started <Moment at={run.createdAt} />
          </span>
          <Link to={{ name: 'audit', id: run.id }}>Open its audit</Link>
        </p>
      </header>
      {run.error !== undefined && (
        <div className="notice problem">
          <UntrustedText text={run.error.message} />
        </div>
      )}
      <RunActions run={run} onDone={() => heading.current?.focus()} />
      {holds.length > 0 && (
        <section aria-labelledby="run-holds-heading">
          <h2 id="run-holds-heading">Open holds</h2>
          <ul className="rows" onKeyDown={onListKey}>
            {holds.map((hold) => (
              <HoldRow key={hold.id} hold={hold} />
            ))}
          </ul>
        </section>
      )}
      {run.output !== undefined && <ValueSection value={run.output} label="Output" isProse />}
      {!isOutsideAgent(run.agent) && (
        <Conversation runId={run.id} conversationId={run.conversationId} />
      )}
      {run.usage !== undefined && <ValueSection value={run.usage} schema={USAGE} label="Usage" />}
    </article>
  );
}

const ENDED: ReadonlySet<RunView['state']> = new Set(['finished', 'failed', 'cancelled']);

/** Retries a stuck run, and cancels one that has not ended. */
function RunActions({
  run,
  onDone,
}: {
  readonly run: RunView;
  /** Moves the focus: the button disappears. */
  readonly onDone: () => void;
}): ReactNode {
  const { client, announce } = useInbox();
  const cache = useQueryClient();
  const [isConfirming, setIsConfirming] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: (action: 'cancel' | 'retry') => client[action](run.id),
    onSuccess(_, action) {
      announce(action === 'cancel' ? 'The run is cancelled.' : 'The run is queued again.');
      onDone();
    },
    async onSettled() {
      setIsConfirming(false);
      await cache.invalidateQueries({ queryKey: queryKeys.run(run.id) });
    },
  });
  if (ENDED.has(run.state)) return null;
  return (
    <div className="run-actions">
      {error !== null && (
        <p className="notice problem" role="alert">
          <FailureText error={error} />
        </p>
      )}
      {run.state === 'stuck' && (
        <button type="button" disabled={isPending} onClick={() => mutate('retry')}>
          Retry the run
        </button>
      )}
      {isConfirming ? (
        <>
          <span>No other call of this run will start. Cancel the run?</span>
          <button type="button" onClick={() => setIsConfirming(false)}>
            Back
          </button>
          <button
            type="button"
            className="deny"
            autoFocus
            disabled={isPending}
            onClick={() => mutate('cancel')}
          >
            Cancel the run
          </button>
        </>
      ) : (
        <button type="button" onClick={() => setIsConfirming(true)}>
          Cancel the run …
        </button>
      )}
    </div>
  );
}
