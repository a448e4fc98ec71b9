import { type ReactNode, useState } from 'react';
import type { InboxClient } from '../client/inbox-client.ts';
import type { Page, RunQuery, RunSummary } from '../client/types.ts';
import { useLive } from '../live/use-live.ts';
import { Failure } from '../shell/failure.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { onListKey } from '../shell/list-keys.ts';
import { Link } from '../shell/link.tsx';
import { PersonName } from '../shell/people.tsx';
import { PageHeading } from '../shell/page-heading.tsx';
import { ForeignLine } from '../text/foreign.tsx';
import { Moment } from '../time/times.tsx';
import { RUN_STATE_NAMES, RUN_STATES, type RunState } from './run-words.ts';

const PAGE = 50;

/** All runs, the latest first. */
export function RunListView(): ReactNode {
  const { client } = useInbox();
  const [state, setState] = useState<RunState | ''>('');
  const [typed, setTyped] = useState('');
  const [wanted, setWanted] = useState('');
  const [limit, setLimit] = useState(PAGE);
  const { value, error, isLoading, reload } = useLive(
    `runs ${state} ${limit} ${wanted}`,
    () => findRuns(client, wanted, { states: state === '' ? [] : [state], limit }),
    ({ kind }) => kind.startsWith('run-') || kind.startsWith('hold-'),
  );
  return (
    <section className="run-list" aria-labelledby="runs-heading">
      <div className="list-head">
        <PageHeading id="runs-heading" title="Runs" />
      </div>
      <form
        role="search"
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setWanted(typed.trim());
        }}
      >
        <label>
          State
          <select
            value={state} // The options are the states.
            onChange={({ target }) => setState(target.value as RunState | '')}
          >
            <option value="">any</option>
            {RUN_STATE_NAMES.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Agent, conversation or run
          <input
            type="search"
            value={typed}
            maxLength={200}
            onChange={({ target }) => {
              setTyped(target.value);
              if (target.value === '') setWanted('');
            }}
          />
        </label>
        <button type="submit">Search</button>
      </form>
      {error !== undefined && value === undefined && <Failure error={error} onRetry={reload} />}
      {value?.items.length === 0 && <p className="nothing">There is no such run.</p>}
      {value === undefined && isLoading && <p className="nothing">Looking …</p>}
      <ul className="rows" data-rows onKeyDown={onListKey}>
        {value?.items.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </ul>
      {value?.next !== undefined && (
        <p className="list-more">
          {limit < 500 ? (
            <button
              type="button"
              disabled={isLoading}
              onClick={() => setLimit(Math.min(500, limit * 2))}
            >
              Show more
            </button>
          ) : (
            <small>These are the latest 500. Look for an agent, a conversation or a state.</small>
          )}
        </p>
      )}
    </section>
  );
}

/** The run with this id, or those of the agent of this name, or those of the conversation of this name. */
async function findRuns(
  client: InboxClient,
  wanted: string,
  query: RunQuery,
): Promise<Page<RunSummary>> {
  if (wanted === '') return client.runs(query);
  if (/^[0-9a-f]{32}$/.test(wanted)) return { items: [await client.run(wanted)] };
  const ofAgent = await client.runs({ ...query, agent: wanted });
  if (ofAgent.items.length > 0) return ofAgent;
  return client.runs({ ...query, conversationId: wanted });
}

function RunRow({ run }: { readonly run: RunSummary }): ReactNode {
  return (
    <li>
      <Link to={{ name: 'run', id: run.id }} className="run-row">
        <span className={`state ${run.state}`}>{run.state}</span>
        <span className="run-row-what">
          <ForeignLine text={run.agent} most={80} />
          {run.requester !== undefined && (
            <>
              {' for '}
              <PersonName person={run.requester} />
            </>
          )}
        </span>
        <span className="run-row-facts">
          <Moment at={run.updatedAt} />
          {run.openHolds > 0 && <span className="chip">{run.openHolds} waiting</span>}
          <span className="visually-hidden">{RUN_STATES[run.state]}</span>
        </span>
      </Link>
    </li>
  );
}
