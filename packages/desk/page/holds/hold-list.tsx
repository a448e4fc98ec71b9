import { type ReactNode, useEffect, useState } from 'react';
import { useInbox } from '../shell/inbox-context.ts';
import { onListKey } from '../shell/list-keys.ts';
import { Failure } from '../shell/failure.tsx';
import { countOf } from '../text/beginning.ts';
import { HoldRow } from './hold-row.tsx';
import { useHoldList } from './use-hold-list.ts';

/** Holds that wait, with a search. */
export function HoldListView({
  mine,
  currentId,
  heading,
}: {
  readonly mine: boolean;
  readonly currentId?: string | undefined;
  readonly heading: ReactNode;
}): ReactNode {
  const { navigation } = useInbox();
  const [typed, setTyped] = useState('');
  const text = useSettled(typed.trim(), 250);
  const list = useHoldList({ mine, text });
  const count = list.items.length;
  return (
    <section className="hold-list" aria-label={mine ? 'Waiting for you' : 'All open'}>
      <div className="list-head">
        {heading}
        <p className="list-count">
          {list.isLoading && count === 0
            ? 'Looking …'
            : `${countOf(count)}${list.next === undefined ? '' : ' or more'}`}
        </p>
      </div>
      <form role="search" onSubmit={(event) => event.preventDefault()}>
        <label className="search">
          <span className="visually-hidden">
            Search in tools, arguments, previews and requesters
          </span>
          <input
            type="search"
            placeholder="Search"
            value={typed}
            maxLength={200}
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
      </form>
      {list.error !== undefined && <Failure error={list.error} onRetry={list.reload} />}
      {!list.isLoading && list.error === undefined && count === 0 && (
        <NothingWaits mine={mine} isSearch={text !== ''} />
      )}
      <ul className="rows" data-rows onKeyDown={onListKey}>
        {list.items.map((hold) => (
          <HoldRow key={hold.id} hold={hold} isCurrent={hold.id === currentId} />
        ))}
      </ul>
      {list.next !== undefined && (
        <p className="list-more">
          <button type="button" onClick={list.more} disabled={list.isLoading}>
            Show more
          </button>
          {navigation.route.name !== 'hold' && <small>{countOf(count)} are shown.</small>}
        </p>
      )}
    </section>
  );
}

function NothingWaits({
  mine,
  isSearch,
}: {
  readonly mine: boolean;
  readonly isSearch: boolean;
}): ReactNode {
  if (isSearch) return <p className="nothing">Nothing that waits has this in it.</p>;
  return (
    <p className="nothing">
      {mine ? 'Nothing waits for you. New calls appear here by themselves.' : 'Nothing waits.'}
    </p>
  );
}

/** A value once it has not changed for a while. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
