import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from './failure.tsx';

/** The items of a query as cards, the latest first. `children` returns the card of an item. */
export function CardList<Item>({
  query,
  empty,
  maxItems,
  children,
}: {
  readonly query: UseQueryResult<{
    readonly items: readonly Item[];
    readonly next?: string | undefined;
  }>;
  /** The text of an empty list. */
  readonly empty: string;
  /** The number of items that the query returns at most. */
  readonly maxItems: number;
  readonly children: (item: Item) => ReactNode;
}): ReactNode {
  return (
    <Loaded query={query}>
      {({ items, next }) => (
        <>
          {items.length === 0 && <p className="empty">{empty}</p>}
          <ul className="cards">{items.map(children)}</ul>
          {next !== undefined && <p className="list-more">Only the latest {maxItems} are shown.</p>}
        </>
      )}
    </Loaded>
  );
}
