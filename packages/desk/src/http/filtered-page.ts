import { type Order, type Page, type PageQuery, pageOf } from '../model/page.ts';

/** How many rows one request reads at most. Beyond that, the page has a cursor to continue from. */
const MAX_READ = 5_000;
const PAGE = 500;

/** A list of which only some rows are wanted. */
export interface FilteredList<Row> {
  readonly order: Order<Row>;
  /** Reads a page. */
  readonly list: (page: PageQuery) => Promise<Page<Row>>;
  /** Decides about a page of rows at once, so that a request needs few queries. */
  readonly filter: (rows: readonly Row[]) => Promise<readonly Row[]>;
}

/** Returns the rows that match the filter. A page may have fewer than the limit and a next page. */
export async function filteredPage<Row>(
  { order, list, filter }: FilteredList<Row>,
  query: PageQuery,
): Promise<Page<Row>> {
  const { limit = 50 } = query;
  const found: Row[] = [];
  let { after } = query;
  let read = 0;
  do {
    // If the first page has too few matches, the next ones are larger.
    const page = await list({ after, limit: read === 0 ? limit : PAGE });
    found.push(...(await filter(page.items)));
    if (found.length > limit) return pageOf(found, limit, order);
    read += page.items.length;
    after = page.next;
  } while (after !== undefined && found.length < limit && read < MAX_READ);
  return { items: Object.freeze(found), next: after };
}
