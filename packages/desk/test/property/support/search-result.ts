/** The result of a search for a story that breaks the property. */
export interface SearchResult {
  /** The violation; `undefined` if no story breaks the property. */
  readonly violation: string | undefined;
  /** The number of stories until then. */
  readonly cases: number;
}
