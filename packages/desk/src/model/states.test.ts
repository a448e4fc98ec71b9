import { describe, expect, it } from 'vitest';
import {
  HOLD_TRANSITIONS,
  isOver,
  LIVE_STATES,
  requireHoldMove,
  requireRunMove,
  RUN_TRANSITIONS,
  type RunState,
} from './states.ts';

describe('the states of runs', () => {
  const states = Object.keys(RUN_TRANSITIONS) as RunState[];

  it('are live or ended, and never both', () => {
    for (const state of states) expect(isOver(state)).toBe(!LIVE_STATES.includes(state));
  });

  it('all lead to an end', () => {
    const reaches = (from: RunState, seen: readonly RunState[] = []): boolean =>
      isOver(from) ||
      RUN_TRANSITIONS[from].some(
        (next) => !seen.includes(next) && reaches(next, [...seen, from, next]),
      );

    for (const state of states) expect(reaches(state), state).toBe(true);
  });

  it('reject every other state', () => {
    expect(() => requireRunMove('finished', 'ready')).toThrow('cannot become');
    expect(() => requireRunMove('parked', 'running')).toThrow('cannot become');
    expect(() => requireRunMove('parked', 'ready')).not.toThrow();
  });
});

describe('the states of holds', () => {
  it('are settled once: an outcome changes only to cancelled', () => {
    for (const outcome of ['expired', 'superseded'] as const) {
      expect(HOLD_TRANSITIONS[outcome]).toEqual(['consumed', 'cancelled']);
    }
    for (const outcome of ['decided', 'expired', 'superseded'] as const) {
      expect(HOLD_TRANSITIONS.open).toContain(outcome);
    }
  });

  it('reopen only after a decision that expired', () => {
    const back = Object.entries(HOLD_TRANSITIONS).filter(([, next]) => next.includes('open'));

    expect(back.map(([state]) => state)).toEqual(['decided']);
  });

  it('reject every other state', () => {
    expect(() => requireHoldMove('consumed', 'open')).toThrow('cannot become');
    expect(() => requireHoldMove('expired', 'decided')).toThrow('cannot become');
  });
});
