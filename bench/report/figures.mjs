/**
 * The lines of the table, with the figure and the goals of each.
 *
 * `figure(cells, adapter)` returns the number of an adapter, or `undefined`. `cells[key][adapter]`
 * are the summaries of one workload. `key` names the case that the figure belongs to.
 * `toLimit(cells, adapter)` returns the ratio to LIMIT if it is not the quotient of the two
 * figures. `goals[adapter]` is `{ text, isMet(number, toLimit, cells, adapter) }`.
 */

import { LIMIT } from '../adapters/registry.mjs';
import { cpuRatio } from '../harness/summary.mjs';

/**
 * Describes the CPU time of one case. `toLimit` has the highest accepted ratio to LIMIT, by
 * adapter.
 */
function cpu({ workload, key, name, unit, toLimit = {}, isBudget = false }) {
  const goals = mapValues(toLimit, (most) => ({
    text: `${most}x LIMIT`,
    isMet: (_, ratio) => ratio !== undefined && ratio <= most,
  }));
  return {
    workload,
    key,
    name,
    unit: `µs per ${unit}`,
    figure: summaryOf(key, 'cpuUs'),
    toLimit: (cells, adapter) => cpuRatio(cells[key]?.[adapter], cells[key]?.[LIMIT]),
    goals,
    isBudget,
  };
}

/** Describes the growth of the cost of a unit from one case to another, as a factor. */
function growth({ workload, from, to, name, goals, isBudget = false }) {
  const figure = (cells, adapter) => cpuRatio(cells[to]?.[adapter], cells[from]?.[adapter]);
  return { workload, key: to, name, unit: 'times', figure, goals, isBudget };
}

/** The goal of constant cost. Growth is accepted if the bare loop grows at least as much. */
function flat() {
  const isMet = (times, toLimit) => times <= 1.2 || (toLimit !== undefined && toLimit <= 1);
  return { text: 'flat: 1.2x, or as LIMIT', isMet };
}

/**
 * The goal of constant cost, except for copies of the message list. Our model port needs one copy,
 * and the prompt of the AI SDK another.
 */
function flatButForCopies(from, to, maxUs) {
  const isMet = (times, _, cells, adapter) =>
    times <= 1.3 || cells[to]?.[adapter]?.cpuUs - cells[from]?.[adapter]?.cpuUs <= maxUs;
  return { text: `1.3x, or ${maxUs} µs more`, isMet };
}

function atMost(most, unit) {
  return { text: `${most} ${unit}`, isMet: (value) => value <= most };
}

const perPort = (core, onAiSdk) => ({ holdpoint: core, 'holdpoint-ai-sdk': onAiSdk });

const loop = [1, 100].map((at) =>
  cpu({
    workload: 'w1',
    key: `c=${at}`,
    name: `W1 loop, ${at} at a time`,
    unit: 'model step',
    toLimit: perPort(5, 8),
    isBudget: true,
  }),
);

const longHistory = [
  ...[100, 1000, 2000, 5000].map((length) =>
    cpu({
      workload: 'w2',
      key: `h=${length}`,
      name: `W2 history of ${count(length)}`,
      unit: 'model step',
      toLimit: { holdpoint: 8 },
    }),
  ),
  growth({
    workload: 'w2',
    from: 'h=100',
    to: 'h=5000',
    name: 'W2 growth, 100 to 5,000',
    goals: perPort(flatButForCopies('h=100', 'h=5000', 5), flatButForCopies('h=100', 'h=5000', 10)),
    isBudget: true,
  }),
];

const approval = [
  cpu({
    workload: 'w3',
    key: 'n=5',
    name: 'W3 approval',
    unit: 'round trip',
    toLimit: perPort(8, 12),
    isBudget: true,
  }),
  {
    workload: 'w3',
    key: 'n=5',
    name: 'W3 state',
    unit: 'B',
    figure: summaryOf('n=5', 'stateBytes'),
    goals: perPort(atMost(1300, 'B'), atMost(1300, 'B')),
  },
];

const STREAMS = [
  ['mixed', 'mixed'],
  ['text=10000', '10,000 of text'],
  ['text=50000', '50,000 of text'],
  ['args=2000', '2,000 of arguments'],
  ['args=10000', '10,000 of arguments'],
  ['args=50000', '50,000 of arguments'],
];

const streaming = [
  ...STREAMS.map(([key, what]) =>
    cpu({
      workload: 'w4',
      key,
      name: `W4 stream, ${what}`,
      unit: 'delta',
      toLimit: perPort(2.5, 6),
    }),
  ),
  // LIMIT writes the same chunks by hand.
  ...[
    ['ui-mixed', 'mixed'],
    ['ui-text=10000', '10,000 of text'],
  ].map(([key, what]) =>
    cpu({
      workload: 'w4',
      key,
      name: `W4 stream to useChat, ${what}`,
      unit: 'delta',
      toLimit: perPort(2.5, 6),
      isBudget: true,
    }),
  ),
  ...[
    ['text=10000', 'text=50000', 'text, 10,000 to 50,000'],
    ['args=2000', 'args=50000', 'arguments, 2,000 to 50,000'],
  ].map(([from, to, what]) =>
    growth({
      workload: 'w4',
      from,
      to,
      name: `W4 growth, ${what}`,
      goals: perPort(flat(), flat()),
    }),
  ),
];

const parked = [
  ['string', 'as JSON', 1.3],
  ['live', 'live', 1.5],
].map(([key, what, most]) => ({
  workload: 'w5',
  key,
  name: `W5 parked run, ${what}`,
  unit: 'KB of heap',
  figure: (cells, adapter) => quotient(summaryOf(key, 'heapPerRun')(cells, adapter), 1024),
  goals: { holdpoint: atMost(most, 'KB') },
}));

const imported = [
  {
    workload: 'w6',
    key: 'import',
    name: 'W6 import, with zod',
    unit: 'ms',
    figure: summaryOf('import', 'importMs'),
    goals: {},
  },
  {
    workload: 'w6',
    key: 'import',
    name: 'W6 import, on top of zod',
    unit: 'ms',
    figure: summaryOf('import', 'onTopMs'),
    goals: { holdpoint: atMost(12, 'ms') },
    hasNoLimit: true,
  },
];

const wideBatch = [
  ...[100, 1000, 10000].map((width) => ({
    ...cpu({
      workload: 'w7',
      key: `n=${width}`,
      name: `W7 batch of ${count(width)}`,
      unit: 'tool call',
      isBudget: true,
    }),
    goals: { holdpoint: atMost(10, 'µs') },
  })),
  growth({
    workload: 'w7',
    from: 'n=100',
    to: 'n=10000',
    name: 'W7 growth, 100 to 10,000',
    goals: { holdpoint: flat() },
    isBudget: true,
  }),
];

/** All lines, in the order of the workloads. */
export const FIGURES = [
  ...loop,
  ...longHistory,
  ...approval,
  ...streaming,
  ...parked,
  ...imported,
  ...wideBatch,
];

function summaryOf(key, field) {
  return (cells, adapter) => cells[key]?.[adapter]?.[field];
}

function quotient(a, b) {
  return a === undefined || b === undefined ? undefined : a / b;
}

function count(number) {
  return number.toLocaleString('en-US');
}

function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
