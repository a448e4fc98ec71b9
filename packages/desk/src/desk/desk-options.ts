import type { HoldRow } from '../model/hold-row.ts';
import type { OutboxRow } from '../model/outbox-row.ts';
import type { Store } from '../store/store.ts';
import type { AnyDeskAgent, DeskAgent } from './desk-agent.ts';

/** A call that is about to wait. */
export type WaitingCallInfo = Pick<
  HoldRow,
  'kind' | 'toolName' | 'args' | 'metadata' | 'preview' | 'path' | 'inDoubt'
>;

/** What a desk is opened with. */
export interface DeskOptions<Agents extends Readonly<Record<string, AnyDeskAgent>>> {
  /** Where everything is kept: `sqliteStore`, `memoryStore`. The desk does not close it. */
  readonly store: Store;
  /** The agents by the names under which runs are started. A name is stored: keep it. */
  readonly agents: { readonly [Name in keyof Agents]: DeskAgent<Agents[Name]> };
  /**
   * How long a call may wait for its answer, in milliseconds; for ever unless given. A call in doubt does
   * not expire unless a function says so.
   */
  readonly expiresAfter?: number | ((call: WaitingCallInfo) => number | undefined) | undefined;
  /** Told of what happens, at least once each. Throw to be told again later. */
  readonly notify?: ((event: OutboxRow) => void | Promise<void>) | undefined;
  /** How long a worker holds a run, or a call, without a sign of life, in milliseconds; a minute unless given. */
  readonly lease?: number | undefined;
  /** How often a run is tried without anything coming of it before it is stuck; 5 unless given. */
  readonly mostTries?: number | undefined;
  /** Told of errors that no run is to blame for, such as a database that cannot be reached. */
  readonly onError?: ((error: unknown) => void) | undefined;
}
