import { type ReactNode, type Ref, useEffect, useRef, useState } from 'react';
import { itemsOf, useHolds } from '../client/queries.ts';
import type { Hold, HoldFilter } from '../client/types.ts';
import { Failure } from '../shell/failure.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { moveInList, onListKey, useShortcuts } from '../shell/keyboard.ts';
import { usePageTitle } from '../shell/page-heading.tsx';
import type { Navigation } from '../shell/route.ts';
import { formatNumber } from '../text/format.ts';
import { BulkBar } from './bulk-decision.tsx';
import { HoldFilters, useHoldFilter } from './hold-filters.tsx';
import { HoldRow } from './hold-row.tsx';

export const LIST_TITLES: Readonly<Record<Navigation['list'], string>> = {
  mine: 'Waiting for you',
  open: 'All open',
};

/** Pending holds, with a search, filters and bulk decisions. */
export function HoldList({
  list,
  openId,
}: {
  readonly list: Navigation['list'];
  readonly openId: string | undefined;
}): ReactNode {
  const mine = list === 'mine';
  const { filter, values, setValues } = useHoldFilter(mine);
  const query = useHolds(filter);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  // The list of the filter before stays until this one has loaded.
  const isLoading = data === undefined || query.isPlaceholderData;
  const holds = itemsOf(data);
  const [selected, setSelected] = useState<ReadonlySet<string>>();
  const heading = useRef<HTMLHeadingElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const rows = useRef<HTMLUListElement>(null);
  useShortcuts({
    j: () => moveInList(rows.current, 1),
    k: () => moveInList(rows.current, -1),
    '/': () => search.current?.focus(),
  });
  useFocusOnReturn(rows, heading, openId);
  useNewHolds(isLoading ? undefined : holds, filter);
  const isSelecting = selected !== undefined;
  const selecting = useRef<HTMLButtonElement>(null);
  // The bar and the dialog that had the focus are gone.
  useEffect(
    () => (isSelecting ? () => (selecting.current ?? heading.current)?.focus() : undefined),
    [isSelecting],
  );
  const isFiltered = Object.keys(filter).some((name) => name !== 'mine');
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  return (
    <section className="hold-list" aria-label={LIST_TITLES[list]}>
      <div className="list-head">
        <ListHeading ref={heading} title={LIST_TITLES[list]} isMain={openId === undefined} />
        <p className="list-count">
          {isLoading
            ? error === null && 'Loading …'
            : `${formatNumber(holds.length)}${hasNextPage ? ' or more' : ''}`}
        </p>
        {(holds.length > 0 || isSelecting) && (
          <button
            ref={selecting}
            type="button"
            className="text-button"
            onClick={() => setSelected(isSelecting ? undefined : new Set())}
          >
            {isSelecting ? 'Cancel' : 'Select'}
            <span className="visually-hidden">{isSelecting ? ' selection' : ' several'}</span>
          </button>
        )}
      </div>
      <HoldFilters values={values} onChange={setValues} holds={holds} searchRef={search} />
      {isSelecting && (
        <BulkBar
          holds={holds.filter(({ id }) => selected.has(id))}
          onSelectAll={() => setSelected(new Set(holds.map(({ id }) => id)))}
          onDone={() => setSelected(undefined)}
        />
      )}
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {!isLoading && holds.length === 0 && (
        <p className="empty">
          {isFiltered
            ? 'No hold matches the search and the filters.'
            : mine
              ? 'No hold is waiting for you. New holds appear here.'
              : 'No hold is open.'}
        </p>
      )}
      <ul className="rows" ref={rows} onKeyDown={onListKey}>
        {holds.map((hold) => (
          <HoldRow
            key={hold.id}
            hold={hold}
            isCurrent={hold.id === openId}
            isSelected={selected?.has(hold.id)}
            onSelect={() => toggle(hold.id)}
          />
        ))}
      </ul>
      {hasNextPage && (
        <p className="list-more">
          <button type="button" onClick={() => void fetchNextPage()} disabled={isFetchingNextPage}>
            Show more
          </button>
        </p>
      )}
    </section>
  );
}

function ListHeading({
  ref,
  title,
  isMain,
}: {
  readonly ref: Ref<HTMLHeadingElement>;
  readonly title: string;
  readonly isMain: boolean;
}): ReactNode {
  return isMain ? <MainHeading ref={ref} title={title} /> : <h2>{title}</h2>;
}

function MainHeading({
  ref,
  title,
}: {
  readonly ref: Ref<HTMLHeadingElement>;
  readonly title: string;
}): ReactNode {
  usePageTitle(title);
  return (
    <h1 ref={ref} tabIndex={-1}>
      {title}
    </h1>
  );
}

/** Returns the focus to the row of the hold that was open, or to the heading. */
function useFocusOnReturn(
  rows: { readonly current: HTMLUListElement | null },
  heading: { readonly current: HTMLHeadingElement | null },
  openId: string | undefined,
): void {
  const { navigation } = useInbox();
  const { count, hrefOf } = navigation;
  const last = useRef(openId);
  useEffect(() => {
    const before = last.current;
    last.current = openId;
    if (openId !== undefined || count === 0) return;
    const links = [...(rows.current?.getElementsByTagName('a') ?? [])];
    const path = before === undefined ? undefined : hrefOf({ name: 'hold', id: before });
    const row = links.find((link) => link.pathname === path);
    (row ?? heading.current)?.focus();
  }, [rows, heading, openId, count, hrefOf]);
}

/** Announces holds that were added to the list. */
function useNewHolds(holds: readonly Hold[] | undefined, filter: HoldFilter): void {
  const { announce } = useInbox();
  const known = useRef<{ readonly filter: HoldFilter; readonly ids: ReadonlySet<string> }>(
    undefined,
  );
  useEffect(() => {
    if (holds === undefined) return;
    const before = known.current;
    known.current = { filter, ids: new Set(holds.map(({ id }) => id)) };
    // Older holds that were loaded by a click, or match another filter, are not new.
    if (before?.filter !== filter) return;
    const added = holds.filter(({ id }) => !before.ids.has(id)).length;
    if (added > 0) announce(added === 1 ? 'New hold.' : `${added} new holds.`);
  }, [holds, filter, announce]);
}
