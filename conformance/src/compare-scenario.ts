import { type Comparison, type Difference, isRecord } from './compare.ts';
import { compareUnordered } from './event-order.ts';

/** The observations of a replayed scenario, in the terms of the vectors. */
export type Observed = Readonly<Record<string, unknown>>;

/** Fields of a run, the most informative about a failure first. */
const RUN_FIELDS = [
  'outcome',
  'error',
  'output',
  'messages',
  'new_message_count',
  'usage',
  'invocations',
  'trace',
  'validator_calls',
  'handler_calls',
  'toolset_log',
  'events',
  'model_requests',
];

/** Lists that a vector omits when they are empty. */
const OPTIONAL_LISTS = new Set(['validator_calls', 'handler_calls', 'toolset_log']);

const TOP_FIELDS = [
  'construction_error',
  'runs',
  'unused_model_responses',
  'agent_enter_log',
  'agent_exit_log',
];

/** The orders in which a vector's events can be compared. */
const ORDERS: readonly unknown[] = ['exact', 'unordered-within-parallel-batch'];

/** Returns the first difference between a vector's expectations and the observations. */
export function compareScenario(
  expected: Observed,
  observed: Observed,
  comparison: Comparison,
): Difference | undefined {
  const order = expected['result_event_order'];
  if ('runs' in expected && !ORDERS.includes(order)) {
    return { path: 'result_event_order', expected: `one of ${ORDERS.join(', ')}`, got: order };
  }
  recordUnknownFields(expected, [...TOP_FIELDS, 'result_event_order'], '', comparison);
  for (const field of TOP_FIELDS) {
    const difference =
      field === 'runs' && Array.isArray(expected['runs']) && Array.isArray(observed['runs'])
        ? compareRuns(expected['runs'], observed['runs'], order !== 'exact', comparison)
        : comparison.firstDifference(expected[field], observed[field], field);
    if (difference) return difference;
  }
  return undefined;
}

function compareRuns(
  expected: readonly unknown[],
  observed: readonly unknown[],
  unordered: boolean,
  comparison: Comparison,
): Difference | undefined {
  for (const [index, run] of observed.entries()) {
    const wanted = expected[index];
    const path = `runs[${index}]`;
    if (!isRecord(wanted) || !isRecord(run)) return { path, expected: wanted, got: run };
    recordUnknownFields(wanted, RUN_FIELDS, `${path}.`, comparison);
    for (const field of RUN_FIELDS) {
      const difference = compareField(wanted, run, { field, path, unordered, comparison });
      if (difference) return difference;
    }
  }
  return expected.length === observed.length
    ? undefined
    : { path: 'runs', expected: `${expected.length} runs`, got: `${observed.length} runs` };
}

interface FieldContext {
  readonly field: string;
  readonly path: string;
  readonly unordered: boolean;
  readonly comparison: Comparison;
}

function compareField(
  wanted: Observed,
  run: Observed,
  context: FieldContext,
): Difference | undefined {
  const { field, comparison } = context;
  const path = `${context.path}.${field}`;
  const got = run[field];
  const expected = wanted[field] ?? (OPTIONAL_LISTS.has(field) ? [] : wanted[field]);
  if (field === 'outcome' && expected !== got) {
    return { path, expected, got: run['error'] ?? run['output'] };
  }
  if (field === 'trace' && expected === undefined && count(run['invocations']) < 2) {
    return undefined;
  }
  if (context.unordered && (field === 'events' || field === 'trace')) {
    return compareUnordered(field, { expected, got, path, comparison });
  }
  return comparison.firstDifference(expected, got, path);
}

function count(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

function recordUnknownFields(
  expected: Observed,
  known: readonly string[],
  path: string,
  comparison: Comparison,
): void {
  for (const field of Object.keys(expected)) {
    if (!known.includes(field)) comparison.recordNotCompared(path + field);
  }
}
