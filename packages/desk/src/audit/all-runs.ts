import type { RunRow } from '../model/run-row.ts';
import type { Store } from '../store/store.ts';

const PAGE = 500;

/** All runs of a tenant, the latest first. Each page is a transaction of its own, so writers do not wait. */
export async function* allRuns(store: Store, tenant: string): AsyncGenerator<RunRow> {
  let after: string | undefined;
  do {
    const query = { after, limit: PAGE, includeErased: true };
    const page = await store.read((tx) => tx.runs.list(tenant, query));
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}
