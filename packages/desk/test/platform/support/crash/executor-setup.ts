import { openDesk, type ServedDesk, type Store, type RunRow } from '@holdpoint/desk';
import type { StoreSpec } from './store-spec.ts';

/** An executor of requests that is killed and frozen at random. */
export interface ExecutorSetup {
  readonly store: StoreSpec;
  readonly requests: readonly string[];
  /** The file to which executors append their effects and acknowledged settlements. */
  readonly journal: string;
  readonly seed: number;
  readonly lease: number;
}

/** The owner of all requests. */
export const OWNER = { id: 'service:executor' };

/** The desk of all processes. */
export function openOutsideDesk(store: Store): ServedDesk<string, RunRow, 'pay'> {
  const schema = { type: 'object' };
  return openDesk({ store, agents: {}, requests: { tools: { pay: { approvers: {}, schema } } } });
}
