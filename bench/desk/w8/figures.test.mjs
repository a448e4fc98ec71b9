import { describe, expect, it } from 'vitest';
import { figuresOf } from './figures.mjs';
import { goalsOf } from './goals.mjs';
import { caseTable, goalTable } from './report.mjs';
import { Refunds } from './workload.mjs';

const sample = (wallMs, cpuMs = wallMs) => ({
  parkMs: wallMs / 2,
  decisionMs: 0,
  resumeMs: wallMs / 2,
  wallMs,
  clientMs: cpuMs,
  serverMs: 0,
  cpuMs,
});

const CASE = {
  delayMs: 0,
  concurrency: 16,
  samples: {
    'limit-postgres': [sample(1), sample(2), sample(4)],
    'desk-postgres': [sample(3), sample(6), sample(20)],
    langgraph: [sample(10), sample(5), sample(40)],
    dbos: [sample(6), sample(12), sample(50)],
  },
};

describe('figures of W8', () => {
  it('divides by LIMIT and by the best peer of the same round', () => {
    expect(figuresOf(CASE)['desk-postgres']).toMatchObject({
      wallMs: 6,
      wallToLimit: 3,
      wallToPeer: 0.5,
    });
  });

  it('leaves a failed peer out of the comparison, and names its failure', () => {
    const samples = { ...CASE.samples, dbos: [sample(1), { error: 'executed twice' }] };
    const figures = figuresOf({ ...CASE, samples });

    expect(figures['dbos']).toEqual({ failure: 'executed twice' });
    expect(figures['desk-postgres'].wallToPeer).toBe(0.5);
    expect(caseTable(figures).at(-1).slice(0, 2)).toEqual(['dbos', 'FAILED']);
  });
});

describe('goals of W8', () => {
  it('are met up to 4x LIMIT and ahead of every peer', () => {
    expect(goalsOf(CASE, figuresOf(CASE)).map(({ isMet }) => isMet)).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('are reported as exceeded', () => {
    const samples = { ...CASE.samples, 'desk-postgres': [sample(30), sample(60), sample(200)] };
    const slow = { ...CASE, samples };
    const table = goalTable(goalsOf(slow, figuresOf(slow)));

    expect(table[1]).toEqual([
      'desk-postgres: wall time to LIMIT',
      '16 at a time',
      '4x',
      '30.0x',
      '30.0x to 50.0x',
      'EXCEEDED',
    ]);
  });

  it('compares a desk with an engine with the built-in worker alone', () => {
    const slow = { ...CASE.samples, 'desk-restate': [sample(3.6), sample(9), sample(28)] };
    const one = { ...CASE, samples: slow };
    const goals = goalsOf(one, figuresOf(one)).filter(({ name }) => name === 'desk-restate');

    expect(goals).toMatchObject([{ what: 'wall time to the built-in worker', isMet: false }]);
    expect(goals[0].measured).toBeCloseTo(1.4);
  });

  it('are missed by a desk that failed', () => {
    const failed = { ...CASE, samples: { ...CASE.samples, 'desk-postgres': [{ timeout: 60 }] } };

    expect(goalsOf(failed, figuresOf(failed)).some(({ isMet }) => isMet)).toBe(false);
  });
});

describe('verification of a batch', () => {
  it('rejects a run whose refund executed twice or never', () => {
    const refunds = new Refunds();
    for (const order of ['a', 'b', 'b']) refunds.execute({ order, euros: 40 });

    expect(() => refunds.requireOnce(['a'])).not.toThrow();
    expect(() => refunds.requireOnce(['a', 'b', 'c'])).toThrow(
      '`refund` executed 0 to 2 times instead of once in 2 of 3 runs.',
    );
  });
});
