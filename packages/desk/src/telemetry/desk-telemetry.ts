import type { HoldRow } from '../model/hold-row.ts';
import type { TaskKind } from '../model/task-row.ts';

/** The way in which a hold ended. */
export type HoldEnd =
  | 'approved'
  | 'edited'
  | 'denied'
  /** An approver requested changes from the model. */
  | 'changes-requested'
  | 'input'
  | 'result'
  | 'expired'
  | 'superseded'
  | 'cancelled';

/** A hold that was settled. */
export interface SettledHold {
  readonly hold: HoldRow;
  readonly outcome: HoldEnd;
  /** The trace context of the run that parked, in the W3C format; missing if it was not traced. */
  readonly traceparent?: string | undefined;
}

/** Numbers about a desk at one point in time, for all tenants. */
export interface DeskStats {
  /** Tasks that are due, by kind. */
  readonly dueTasks: readonly {
    readonly kind: TaskKind;
    readonly count: number;
    /** The time since the oldest one is due, in milliseconds. */
    readonly oldestMs: number;
  }[];
  readonly openHolds: number;
  /** The age of the oldest open hold, in milliseconds; 0 if there is none. */
  readonly oldestOpenHoldMs: number;
  readonly stuckRuns: number;
  /** Dead letters: webhooks, notifications and expiries that were given up. */
  readonly deadLetters: number;
}

/** Receives facts for traces and metrics. Its methods do not throw. Create one with `deskOtel` of `@holdpoint/desk/otel`. */
export interface DeskTelemetry {
  holdSettled(settled: SettledHold): void;
  /** Receives the `event` of every log line, and of every error that is no log line. */
  eventLogged(event: string): void;
  /** Reads numbers from time to time, until the returned function is called. */
  observe(readStats: () => Promise<DeskStats>): () => void;
}
