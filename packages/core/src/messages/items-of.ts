/**
 * The items of a list that may be frozen, to loop over them.
 *
 * V8 13.6 takes seven times as long to loop over a frozen list as over another one, and 27 times as long
 * for `every`; a copy takes as long as two items.
 */
export function itemsOf<Item>(list: readonly Item[]): Item[] {
  return [...list];
}
