import type { RunRow } from '../model/run-row.ts';
import type { Store } from '../store/store.ts';

const PAGE = 500;

/** Yields all runs of a tenant, the latest first. Each page is a separate transaction, so writers do not wait. */
export async function* allRuns(store: Store, tenant: string): AsyncGenerator<RunRow> {
  let after: string | undefined;
  do {
    const query = { after, limit: PAGE, includeErased: true };
    const page = await store.read((tx) => tx.runs.list(tenant, query));
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}
