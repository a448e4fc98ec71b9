import { describe, expect, it } from 'vitest';
import { microTable } from '../micro/micro-table.mjs';
import { median, summarize } from '../harness/summary.mjs';
import { budgetOf } from './budget.mjs';
import { asMarkdown, asText, tableOf } from './table.mjs';

const cpu = (cpuUs) => ({ rounds: 5, cpuUs });

const results = {
  w1: {
    'c=1': {
      limit: cpu(4),
      holdpoint: cpu(12),
      'holdpoint-ai-sdk': cpu(40),
      genkit: cpu(200),
      mastra: cpu(3000),
    },
  },
};

/** Returns the cells of the row `name` by the head of their column. Repeated heads are numbered. */
function rowOf([head, ...rows], name) {
  const row = rows.find(([first]) => first === name);
  const seen = new Map();
  return Object.fromEntries(
    head.map((title, column) => {
      const times = (seen.get(title) ?? 0) + 1;
      seen.set(title, times);
      return [times === 1 ? title : `${title} ${times}`, row?.[column]];
    }),
  );
}

describe('table of a benchmark', () => {
  it('shows ratios to LIMIT and to the best peer, and the goals that are met', () => {
    const row = rowOf(tableOf(results), 'W1 loop, 1 at a time');

    expect(row).toMatchObject({
      unit: 'µs per model step',
      LIMIT: '4.00',
      'best peer': '200 (genkit)',
      holdpoint: '12.0',
      'to LIMIT': '3.00x',
      'to best peer': '0.06x',
      goal: '5x LIMIT: met',
      'holdpoint-ai-sdk': '40.0',
      'to LIMIT 2': '10.0x',
      'goal 2': '8x LIMIT: MISSED',
    });
  });

  it('leaves out columns and rows without measurements', () => {
    const { limit, holdpoint } = results.w1['c=1'];

    const table = tableOf({ w1: { 'c=1': { limit, holdpoint } } });

    expect(table).toHaveLength(2);
    expect(table[0]).toEqual(['figure', 'unit', 'LIMIT', 'holdpoint', 'to LIMIT', 'goal']);
  });

  it('shows a failure of Holdpoint, and skips a peer that failed', () => {
    const cells = { limit: cpu(4), holdpoint: { error: 'broken' }, genkit: { timeout: 60 } };

    const row = rowOf(
      tableOf({ w1: { 'c=1': { ...cells, mastra: cpu(9) } } }),
      'W1 loop, 1 at a time',
    );

    expect(row).toMatchObject({
      'best peer': '9.00 (mastra)',
      holdpoint: 'FAILED',
      goal: '5x LIMIT',
    });
  });

  it('does not compare with a peer that did different work', () => {
    const wrong = { ...cpu(5), deviation: 'ran 0 of 3 approved calls' };
    const cells = { limit: cpu(4), holdpoint: cpu(8), langchain: wrong, genkit: cpu(16) };

    const row = rowOf(tableOf({ w3: { 'n=5': cells } }), 'W3 approval');

    expect(row).toMatchObject({ 'best peer': '16.0 (genkit)', 'to best peer': '0.50x' });
  });

  it('rates a long history by the growth of the cost per step', () => {
    const w2 = {
      'h=100': { limit: cpu(2), holdpoint: cpu(8), 'holdpoint-ai-sdk': cpu(10) },
      'h=5000': { limit: cpu(2), holdpoint: cpu(16), 'holdpoint-ai-sdk': cpu(12.5) },
    };

    const row = rowOf(tableOf({ w2 }), 'W2 growth, 100 to 5,000');

    expect(row).toMatchObject({
      goal: '1.3x, or 5 µs more: MISSED',
      'goal 2': '1.3x, or 10 µs more: met',
    });
  });

  it('counts growth as flat if the bare loop grows as much', () => {
    const w7 = (large) => ({
      'n=100': { limit: cpu(1), holdpoint: cpu(4) },
      'n=10000': { limit: cpu(2), holdpoint: cpu(large) },
    });
    const goal = (large) => rowOf(tableOf({ w7: w7(large) }), 'W7 growth, 100 to 10,000').goal;

    expect([goal(7), goal(9)]).toEqual([
      'flat: 1.2x, or as LIMIT: met',
      'flat: 1.2x, or as LIMIT: MISSED',
    ]);
  });

  it('compares values of the same round, so that a slow round affects both', () => {
    const rounds = (...values) => summarize(values.map((cpuUs) => ({ cpuUs })));
    const w2 = {
      'h=100': { limit: rounds(1, 2, 4), holdpoint: rounds(4, 4, 16) },
      'h=5000': { limit: rounds(1, 2, 4), holdpoint: rounds(4, 8, 16) },
    };

    const table = tableOf({ w2 });

    expect(rowOf(table, 'W2 history of 100')).toMatchObject({
      LIMIT: '2.00',
      holdpoint: '4.00',
      'to LIMIT': '4.00x',
    });
    expect(rowOf(table, 'W2 growth, 100 to 5,000')).toMatchObject({ holdpoint: '1.00' });
  });

  it('is formatted in columns and in Markdown', () => {
    const rows = [
      ['figure', 'unit', 'LIMIT'],
      ['W1', 'µs', '4.00'],
    ];

    expect(asText(rows)).toBe('figure  unit  LIMIT\nW1      µs     4.00');
    expect(asMarkdown(rows)).toBe('| figure | unit | LIMIT |\n|---|---|---:|\n| W1 | µs | 4.00 |');
  });
});

describe('budget of the core', () => {
  it('reports each measured limit and if the core meets it', () => {
    const w3 = { 'n=5': { limit: cpu(4), holdpoint: cpu(40), 'holdpoint-ai-sdk': cpu(400) } };

    expect(budgetOf({ ...results, w3 })).toEqual([
      { name: 'W1 loop, 1 at a time', limit: '5x LIMIT', measured: '3.00x', isMet: true },
      { name: 'W3 approval', limit: '8x LIMIT', measured: '10.0x', isMet: false },
    ]);
  });

  it('counts a failed measurement as exceeded', () => {
    const w7 = { 'n=100': { limit: cpu(1), holdpoint: { error: 'broken' } } };

    expect(budgetOf({ w7 })).toEqual([
      { name: 'W7 batch of 100', limit: '10 µs', measured: 'FAILED', isMet: false },
    ]);
  });

  it('leaves out cases that were not measured with the core', () => {
    expect(budgetOf({ w1: { 'c=1': { limit: cpu(4), genkit: cpu(200) } } })).toEqual([]);
  });
});

describe('table of the micro-benchmarks', () => {
  it('compares with the plain loop and with earlier measurements', () => {
    const figures = { plain: { ns: 100, bytes: 50 }, traced: { ns: 150, bytes: 200 } };
    const benchmarks = [
      { name: 'plain', unit: 'step' },
      { name: 'traced', unit: 'step' },
    ];

    const table = microTable(benchmarks, figures, {
      baseline: 'plain',
      earlier: { traced: { ns: 300, bytes: 200 } },
    });

    expect(table.slice(1)).toEqual([
      ['plain', 'step', '100', '50', '1.00x', '1.00x', '–', '–'],
      ['traced', 'step', '150', '200', '1.50x', '4.00x', '0.50x', '1.00x'],
    ]);
  });
});

describe('summary of rounds', () => {
  it('contains medians and the range of durations', () => {
    const samples = [3, 1, 8].map((cpuUs) => ({ cpuUs, events: 7 }));

    expect(summarize(samples)).toEqual({
      rounds: 3,
      cpuUs: 3,
      cpuUsByRound: [3, 1, 8],
      cpuUsRange: [1, 8],
      events: 7,
    });
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });

  it('is the failure if a round failed', () => {
    expect(summarize([{ cpuUs: 1 }, { timeout: 60 }])).toEqual({ timeout: 60 });
  });
});
