import { type Order, type Page, type PageQuery, pageOf } from '../model/page.ts';

/** The maximum number of rows that one request reads. After that, the page ends with a cursor. */
const MAX_READ = 5_000;
const PAGE = 500;

/** A list and a filter that the store cannot apply. */
export interface FilteredList<Row> {
  readonly order: Order<Row>;
  /** Reads a page. */
  readonly list: (page: PageQuery) => Promise<Page<Row>>;
  /** Filters a whole page of rows, so that a request needs few queries. */
  readonly filter: (rows: readonly Row[]) => Promise<readonly Row[]>;
}

/** Returns the rows that match the filter. A page with fewer rows than the limit may have a next page. */
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
