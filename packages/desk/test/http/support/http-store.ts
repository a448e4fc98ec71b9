import type { Store } from '@holdpoint/desk';

/** A store that a desk is served on in a test, and its clock. */
export interface HttpStore extends AsyncDisposable {
  readonly store: Store;
  /** A real clock waits. */
  readonly clock: { advance(ms: number): void | Promise<void> };
}

export type OpenHttpStore = () => Promise<HttpStore>;
