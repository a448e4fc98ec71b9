import type { Desk } from '../desk/desk.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { HOLD_ORDER, type HoldQuery, type Page, pageOf } from '../model/page.ts';

/** Decides about a page of holds at once, so that a request needs few queries. */
export type HoldFilter = (holds: readonly HoldRow[]) => Promise<readonly HoldRow[]>;

/** How many holds one request reads at most. Beyond that, the page has a cursor to continue from. */
const MAX_READ = 5_000;
const PAGE = 500;

/** Returns the holds that match the query and the filter. A page may have fewer than the limit and a next page. */
export async function findHolds(
  desk: Desk,
  query: HoldQuery,
  filter: HoldFilter,
): Promise<Page<HoldRow>> {
  const { limit = 50 } = query;
  const found: HoldRow[] = [];
  let { after } = query;
  let read = 0;
  do {
    // If the first page has too few matches, the next ones are larger.
    const page = await desk.holds({ ...query, after, limit: read === 0 ? limit : PAGE });
    found.push(...(await filter(page.items)));
    if (found.length > limit) return pageOf(found, limit, HOLD_ORDER);
    read += page.items.length;
    after = page.next;
  } while (after !== undefined && found.length < limit && read < MAX_READ);
  return { items: Object.freeze(found), next: after };
}
