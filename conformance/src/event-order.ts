import { type Comparison, type Difference, isRecord } from './compare.ts';

interface Lists {
  readonly expected: unknown;
  readonly got: unknown;
  readonly path: string;
  readonly comparison: Comparison;
}

/**
 * Compares events or a trace of parallel calls, which may end in any order.
 *
 * Adjacent result events are compared as a set, with the tools that they make available. Such a
 * tool must follow its result. In a trace, the `start` rows must have the same order, and each
 * `end` must follow its `start`.
 */
export function compareUnordered(field: 'events' | 'trace', lists: Lists): Difference | undefined {
  const { expected, got, path, comparison } = lists;
  if (!Array.isArray(expected) || !Array.isArray(got))
    return comparison.firstDifference(expected, got, path);
  return field === 'events' ? compareEvents({ ...lists, expected, got }) : compareTraces(lists);
}

interface EventLists extends Lists {
  readonly expected: readonly unknown[];
  readonly got: readonly unknown[];
}

function compareEvents({ expected, got, path, comparison }: EventLists): Difference | undefined {
  for (let start = 0; start < Math.max(expected.length, got.length); ) {
    const end = endOfResults(expected, start);
    const batch = got.slice(start, end);
    const difference =
      end > start
        ? (comparison.unordered(expected.slice(start, end), batch, path) ??
          findEarlyAvailability(batch, path))
        : comparison.firstDifference(expected[start], got[start], `${path}[${start}]`);
    if (difference) return difference;
    start = Math.max(end, start + 1);
  }
  return undefined;
}

/** Returns the end index of the result events that begin at `start`. */
function endOfResults(events: readonly unknown[], start: number): number {
  let end = start;
  for (; end < events.length; end++) {
    const kind = kindOf(events[end]);
    if (kind !== 'function_tool_result' && kind !== 'tool_availability_delta') break;
  }
  return end;
}

/** Finds tools that became available before the result of their call. */
function findEarlyAvailability(batch: readonly unknown[], path: string): Difference | undefined {
  const finished = new Set<unknown>();
  for (const event of batch) {
    if (kindOf(event) === 'function_tool_result') finished.add(callIdOf(event));
    else if (!finished.has(callIdOf(event)))
      return { path, expected: 'a result before the tools that it makes available', got: event };
  }
  return undefined;
}

function kindOf(event: unknown): unknown {
  return isRecord(event) ? event['event'] : undefined;
}

function callIdOf(event: unknown): unknown {
  const part = isRecord(event) ? event['part'] : undefined;
  return isRecord(part) ? part['tool_call_id'] : undefined;
}

function compareTraces({ expected, got, path, comparison }: Lists): Difference | undefined {
  const wanted = rows(expected);
  const seen = rows(got);
  const starts = comparison.firstDifference(startsOf(wanted), startsOf(seen), `${path}(start)`);
  if (starts) return starts;
  const ends = comparison.unordered(endsOf(wanted), endsOf(seen), `${path}(end)`);
  if (ends) return ends;
  return findUnmatchedEnd(wanted, `${path} of the vector`) ?? findUnmatchedEnd(seen, path);
}

type TraceRow = readonly unknown[];

function rows(trace: unknown): TraceRow[] {
  return Array.isArray(trace) ? trace.map((row) => (Array.isArray(row) ? row : [row])) : [];
}

function startsOf(trace: readonly TraceRow[]): TraceRow[] {
  return trace.filter(([kind]) => kind === 'start');
}

function endsOf(trace: readonly TraceRow[]): TraceRow[] {
  return trace.filter(([kind]) => kind !== 'start');
}

/** Finds an `end` before its `start`. */
function findUnmatchedEnd(trace: readonly TraceRow[], path: string): Difference | undefined {
  const running = new Map<string, number>();
  for (const [kind, ...call] of trace) {
    const key = JSON.stringify(call);
    const count = (running.get(key) ?? 0) + (kind === 'start' ? 1 : -1);
    if (count < 0) return { path, expected: 'a start before each end', got: [kind, ...call] };
    running.set(key, count);
  }
  return undefined;
}
