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
 * Which state of a hold may follow which; `consumed` is one whose result is in the stored history. A
 * decision that was not carried out in time is open again.
 */
export const HOLD_TRANSITIONS: Readonly<Record<HoldState, readonly HoldState[]>> = Object.freeze({
  open: ['decided', 'expired', 'superseded', 'cancelled'],
  decided: ['consumed', 'cancelled', 'open'],
  expired: ['consumed', 'cancelled'],
  superseded: ['consumed', 'cancelled'],
  cancelled: [],
  consumed: [],
});

/** The states of a run that its conversation has to wait for. */
export const LIVE_STATES: readonly RunState[] = Object.freeze([
  'ready',
  'running',
  'parked',
  'stuck',
]);

/** The states of holds whose outcome the run has still to hear of. */
export const SETTLED_STATES: readonly HoldState[] = Object.freeze([
  'decided',
  'expired',
  'superseded',
]);

/** Returns whether nothing comes after this state. */
export function isOver(state: RunState): boolean {
  return RUN_TRANSITIONS[state].length === 0;
}

/** Throws unless one state of a run may follow the other: the rows and the code disagree. */
export function requireRunMove(from: RunState, to: RunState): void {
  if (RUN_TRANSITIONS[from].includes(to)) return;
  throw new Error(`A run that is ${from} cannot become ${to}.`);
}

/** Throws unless one state of a hold may follow the other. */
export function requireHoldMove(from: HoldState, to: HoldState): void {
  if (HOLD_TRANSITIONS[from].includes(to)) return;
  throw new Error(`A hold that is ${from} cannot become ${to}.`);
}
