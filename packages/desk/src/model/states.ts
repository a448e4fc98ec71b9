/** The state of a run. */
export type RunState =
  | 'ready'
  | 'running'
  | 'parked'
  | 'finished'
  | 'failed'
  | 'cancelled'
  | 'stuck';

/** The state of a hold. */
export type HoldState = 'open' | HoldOutcome | 'consumed';

/** How a hold was settled. */
export type HoldOutcome = 'decided' | 'expired' | 'superseded' | 'cancelled';

/**
 * The states that may follow each state of a run.
 *
 * `running` follows itself when another worker takes over. A `stuck` run has no attempts left: an operator
 * retries or cancels it.
 */
export const RUN_TRANSITIONS: Readonly<Record<RunState, readonly RunState[]>> = Object.freeze({
  ready: ['running', 'stuck', 'cancelled'],
  running: ['running', 'ready', 'parked', 'finished', 'failed', 'stuck', 'cancelled'],
  parked: ['ready', 'cancelled'],
  stuck: ['ready', 'cancelled'],
  finished: [],
  failed: [],
  cancelled: [],
});

/**
 * The states that may follow each state of a hold. The outcome of a `consumed` hold is in the stored history. A
 * hold whose approved call did not start in time is open again.
 */
export const HOLD_TRANSITIONS: Readonly<Record<HoldState, readonly HoldState[]>> = Object.freeze({
  open: ['decided', 'expired', 'superseded', 'cancelled'],
  decided: ['consumed', 'cancelled', 'open'],
  expired: ['consumed', 'cancelled'],
  superseded: ['consumed', 'cancelled'],
  cancelled: [],
  consumed: [],
});

/** The states of a live run. A conversation has at most one. */
export const LIVE_STATES: readonly RunState[] = Object.freeze([
  'ready',
  'running',
  'parked',
  'stuck',
]);

/** The states of holds whose outcome the run has not recorded yet. */
export const SETTLED_STATES: readonly HoldState[] = Object.freeze([
  'decided',
  'expired',
  'superseded',
]);

/** Returns whether no state follows this one. */
export function isOver(state: RunState): boolean {
  return RUN_TRANSITIONS[state].length === 0;
}

/** Throws unless one state of a run may follow the other. */
export function requireRunMove(from: RunState, to: RunState): void {
  if (RUN_TRANSITIONS[from].includes(to)) return;
  throw new Error(`A run that is ${from} cannot become ${to}.`);
}

/** Throws unless one state of a hold may follow the other. */
export function requireHoldMove(from: HoldState, to: HoldState): void {
  if (HOLD_TRANSITIONS[from].includes(to)) return;
  throw new Error(`A hold that is ${from} cannot become ${to}.`);
}
