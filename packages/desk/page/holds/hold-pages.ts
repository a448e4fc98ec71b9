import type { Hold, Page } from '../client/types.ts';

/** Holds of a list, as far as they were asked for. */
export interface HoldPages {
  readonly items: readonly Hold[];
  /** Where the list goes on; `undefined` at its end. */
  readonly next?: string | undefined;
}

/** What follows, at the end; holds that are there already are only brought up to date. */
export function withPage(pages: HoldPages, { items, next }: Page<Hold>): HoldPages {
  const known = new Map(pages.items.map((hold) => [hold.id, hold]));
  for (const hold of items) known.set(hold.id, hold);
  return { items: [...known.values()], next };
}

/** A hold as it is now, where it stands; one that does not belong there any more is taken out. */
export function withHold(pages: HoldPages, hold: Hold, belongs: boolean): HoldPages {
  const isThere = pages.items.some(({ id }) => id === hold.id);
  if (!belongs) {
    return isThere ? { ...pages, items: pages.items.filter(({ id }) => id !== hold.id) } : pages;
  }
  if (isThere) {
    return { ...pages, items: pages.items.map((one) => (one.id === hold.id ? hold : one)) };
  }
  // Where the list goes on, it will come with what follows.
  if (pages.next !== undefined) return pages;
  const items = [...pages.items, hold].toSorted((one, other) => one.createdAt - other.createdAt);
  return { ...pages, items };
}
