import type { Desk, OutboxRow, RunRow } from '@holdpoint/desk';
import { auditProblems } from './compare/audit-problems.ts';
import { callProblems } from './compare/call-problems.ts';
import { grouped } from './compare/grouped.ts';
import { historyProblems } from './compare/history-problems.ts';
import { type StoredRun, readStoredRun } from './compare/stored-run.ts';
import type { Effect } from './crash/journal.ts';
import type { AcknowledgedDecision } from './crash/messages.ts';
import { PENDING_CALLS } from './crash/teller.ts';

/** Facts that the test observed outside of the store. */
export interface Observations {
  readonly started: ReadonlyMap<string, string>;
  readonly decided: readonly AcknowledgedDecision[];
  readonly effects: readonly Effect[];
}

export interface Tally {
  runs: number;
  holds: number;
  doubts: number;
  executions: number;
  /** Calls that executed again because a person approved them in doubt. */
  repeated: number;
}

/** The number of runs that are read at a time. */
const AT_ONCE = 8;

/** Compares acknowledgements with the store and the effects. Returns every difference. */
export async function compare(
  desk: Desk,
  { started, decided, effects }: Observations,
): Promise<{ readonly problems: readonly string[]; readonly tally: Tally }> {
  const [runs, events] = [
    await allOf((after) => desk.runs({ limit: 500, after })),
    await eventsByRun(desk),
  ];
  const effectsOf = grouped(effects, ({ runId }) => runId);
  const stored: StoredRun[] = [];
  while (stored.length < runs.length) {
    const some = runs.slice(stored.length, stored.length + AT_ONCE);
    stored.push(...(await Promise.all(some.map((run) => readStoredRun(desk, run)))));
  }
  const problems = stored.flatMap((one) =>
    runProblems(one, effectsOf.get(one.run.id) ?? [], events.get(one.run.id) ?? []).map(
      (problem) => `${one.run.idempotencyKey}: ${problem}`,
    ),
  );
  return {
    problems: [
      ...problems,
      ...lostRuns(started, runs),
      ...lostDecisions(decided, stored),
      ...effectProblems(effects, runs),
    ],
    tally: tallyOf(stored, effects),
  };
}

function tallyOf(stored: readonly StoredRun[], effects: readonly Effect[]): Tally {
  const holds = stored.flatMap((one) => one.holds);
  const calls = new Set(effects.map(({ name, to }) => `${name} ${to}`));
  return {
    runs: stored.length,
    holds: holds.length,
    doubts: holds.filter((hold) => hold.inDoubt).length,
    executions: effects.length,
    repeated: effects.length - calls.size,
  };
}

function runProblems(
  stored: StoredRun,
  effects: readonly Effect[],
  events: readonly OutboxRow[],
): string[] {
  const { run, holds, decisions } = stored;
  const problems = run.state === 'finished' ? [] : [`is ${run.state}: ${run.error?.message}`];
  for (const { id, state, outcome } of holds) {
    const { length: count } = decisions.filter(({ holdId }) => holdId === id);
    const isSettled = state === 'consumed' && outcome === 'decided' && count === 1;
    if (!isSettled) problems.push(`hold ${id} is ${state}, ${count} decisions`);
  }
  const certain = holds.filter((hold) => !hold.inDoubt).length;
  if (certain !== PENDING_CALLS) problems.push(`has ${certain} holds that are not in doubt`);
  // The start and the end of the run, and the opening and settling of each hold.
  if (events.length !== 2 + 2 * holds.length) problems.push(`has ${events.length} events`);
  return [
    ...problems,
    ...callProblems(stored, effects),
    ...historyProblems(stored),
    ...auditProblems(stored),
  ];
}

function lostRuns(started: Observations['started'], runs: readonly RunRow[]): string[] {
  const ids = new Map(runs.map((run) => [run.idempotencyKey, run.id]));
  return [...started]
    .filter(([key, id]) => ids.get(key) !== id)
    .map(([key, id]) => `acknowledged run ${id} for ${key}, and stored ${ids.get(key)}`);
}

function lostDecisions(
  decided: readonly AcknowledgedDecision[],
  stored: readonly StoredRun[],
): string[] {
  const kept = new Map(
    stored.flatMap(({ decisions }) => decisions).map((one) => [one.holdId, JSON.stringify(one)]),
  );
  return decided
    .map(({ holdId, digest, by, decision }) => ({ holdId, digest, by, decision }))
    .filter((one) => kept.get(one.holdId) !== JSON.stringify(one))
    .map((one) => `acknowledged ${JSON.stringify(one)}, and stored ${kept.get(one.holdId)}`);
}

/** Returns effects of unknown runs, and keys that several calls share. */
function effectProblems(effects: readonly Effect[], runs: readonly RunRow[]): string[] {
  const ids = new Set(runs.map(({ id }) => id));
  const unknown = effects.filter(({ runId }) => !ids.has(runId));
  const byKey = grouped(effects, ({ key }) => key);
  const shared = [...byKey].filter(
    ([, some]) => new Set(some.map(({ name, to }) => `${name} ${to}`)).size > 1,
  );
  return [
    ...unknown.map((effect) => `no run has the effect ${JSON.stringify(effect)}`),
    ...shared.map(([key]) => `several calls executed with key ${key}`),
  ];
}

async function eventsByRun(desk: Desk): Promise<ReadonlyMap<string, readonly OutboxRow[]>> {
  const events = await allOf((after) => desk.events({ limit: 500, after }));
  return grouped(events, ({ runId }) => runId);
}

async function allOf<Item>(
  list: (
    after: string | undefined,
  ) => Promise<{ readonly items: readonly Item[]; readonly next?: string | undefined }>,
): Promise<Item[]> {
  const items: Item[] = [];
  let after: string | undefined;
  do {
    const page = await list(after);
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return items;
}
