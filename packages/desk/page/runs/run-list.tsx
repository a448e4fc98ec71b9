import { type ReactNode, useRef, useState } from 'react';
import { itemsOf, useRuns } from '../client/queries.ts';
import type { RunSummary } from '../client/types.ts';
import { Failure } from '../shell/failure.tsx';
import { moveInList, onListKey, useShortcuts } from '../shell/keyboard.ts';
import { Link } from '../shell/link.tsx';
import { PageHeading } from '../shell/page-heading.tsx';
import { PersonName } from '../shell/people.tsx';
import { formatCount } from '../text/format.ts';
import { UntrustedLine } from '../text/untrusted.tsx';
import { Moment } from '../time/times.tsx';
import { RUN_STATE_NAMES, type RunState } from './run-text.ts';

/** All runs, the latest first. */
export function RunList(): ReactNode {
  const [state, setState] = useState<RunState | ''>('');
  const [typed, setTyped] = useState('');
  const [text, setText] = useState('');
  const search = useRef<HTMLInputElement>(null);
  const rows = useRef<HTMLUListElement>(null);
  const query = useRuns(state === '' ? [] : [state], text);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const runs = itemsOf(data);
  useShortcuts({
    j: () => moveInList(rows.current, 1),
    k: () => moveInList(rows.current, -1),
    '/': () => search.current?.focus(),
  });
  return (
    <section className="run-list" aria-labelledby="runs-heading">
      <div className="list-head">
        <PageHeading id="runs-heading" title="Runs" />
      </div>
      <form
        role="search"
        className="run-filters"
        onSubmit={(event) => {
          event.preventDefault();
          setText(typed.trim());
        }}
      >
        <label>
          State
          <select
            value={state} // The options are the states.
            onChange={({ target }) => setState(target.value as RunState | '')}
          >
            <option value="">Any</option>
            {RUN_STATE_NAMES.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Agent, conversation or run id
          <input
            ref={search}
            type="search"
            value={typed}
            maxLength={200}
            onChange={({ target }) => {
              setTyped(target.value);
              if (target.value === '') setText('');
            }}
          />
        </label>
        <button type="submit">Search</button>
      </form>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <p className="empty">Loading …</p>}
      {data !== undefined && runs.length === 0 && <p className="empty">No run matches.</p>}
      <ul className="rows" ref={rows} onKeyDown={onListKey}>
        {runs.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </ul>
      {hasNextPage && (
        <p className="list-more">
          <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </button>
        </p>
      )}
    </section>
  );
}

function RunRow({ run }: { readonly run: RunSummary }): ReactNode {
  const { prompt, outcome, agent, requester, state, openHolds, updatedAt } = run;
  return (
    <li>
      <Link to={{ name: 'run', id: run.id }} className="row">
        <span className="row-head">
          <span className="row-title">
            <UntrustedLine text={prompt ?? agent} max={120} />
          </span>
          <span className={`state ${state}`}>{state}</span>
        </span>
        {outcome !== undefined && (
          <span className="row-summary">
            <UntrustedLine text={outcome} max={160} />
          </span>
        )}
        <span className="row-facts">
          {prompt !== undefined && <UntrustedLine text={agent} max={80} />}
          {requester !== undefined && (
            <span>
              Requested by <PersonName person={requester} />
            </span>
          )}
          <Moment at={updatedAt} />
          {openHolds > 0 && <span className="chip">{formatCount(openHolds, 'open hold')}</span>}
        </span>
      </Link>
    </li>
  );
}
