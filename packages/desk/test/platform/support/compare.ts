import type { Desk, OutboxRow, RunRow } from '@holdpoint/desk';
import { auditProblems } from './compare/audit-problems.ts';
import { callProblems } from './compare/call-problems.ts';
import { grouped } from './compare/grouped.ts';
import { historyProblems } from './compare/history-problems.ts';
import { type RunAsStored, runAsStored } from './compare/run-as-stored.ts';
import type { Effect } from './crash/journal.ts';
import type { Acknowledged } from './crash/messages.ts';
import { CALLS_THAT_WAIT } from './crash/teller.ts';

/** What the test knows, from outside of the store. */
export interface Witness {
  readonly started: ReadonlyMap<string, string>;
  readonly answered: readonly Acknowledged[];
  readonly effects: readonly Effect[];
}

/** How much there was of everything. */
export interface Tally {
  runs: number;
  holds: number;
  doubts: number;
  executions: number;
  /** Calls that ran once more because a person said so. */
  repeated: number;
}

/** How many runs are looked at at a time. */
const AT_ONCE = 8;

/** Compares what was acknowledged with what is stored and with what was done; gives everything that is wrong. */
export async function compare(
  desk: Desk,
  { started, answered, effects }: Witness,
): Promise<{ readonly problems: readonly string[]; readonly tally: Tally }> {
  const [runs, events] = [
    await allOf((after) => desk.runs({ limit: 500, after })),
    await told(desk),
  ];
  const effectsOf = grouped(effects, ({ runId }) => runId);
  const stored: RunAsStored[] = [];
  while (stored.length < runs.length) {
    const some = runs.slice(stored.length, stored.length + AT_ONCE);
    stored.push(...(await Promise.all(some.map((run) => runAsStored(desk, run)))));
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
      ...lostAnswers(answered, stored),
      ...strangeEffects(effects, runs),
    ],
    tally: tallyOf(stored, effects),
  };
}

function tallyOf(stored: readonly RunAsStored[], effects: readonly Effect[]): Tally {
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
  stored: RunAsStored,
  effects: readonly Effect[],
  events: readonly OutboxRow[],
): string[] {
  const { run, holds, answers } = stored;
  const problems = run.state === 'finished' ? [] : [`is ${run.state}: ${run.error?.message}`];
  for (const { id, state, outcome } of holds) {
    const { length: count } = answers.filter(({ holdId }) => holdId === id);
    const isOver = state === 'consumed' && outcome === 'decided' && count === 1;
    if (!isOver) problems.push(`hold ${id} is ${state}, ${count} answers`);
  }
  const waited = holds.filter((hold) => !hold.inDoubt).length;
  if (waited !== CALLS_THAT_WAIT) problems.push(`has ${waited} holds that are not in doubt`);
  // Started and finished, and each hold opened and settled.
  if (events.length !== 2 + 2 * holds.length) problems.push(`has told ${events.length} events`);
  return [
    ...problems,
    ...callProblems(stored, effects),
    ...historyProblems(stored),
    ...auditProblems(stored),
  ];
}

function lostRuns(started: Witness['started'], runs: readonly RunRow[]): string[] {
  const ids = new Map(runs.map((run) => [run.idempotencyKey, run.id]));
  return [...started]
    .filter(([key, id]) => ids.get(key) !== id)
    .map(([key, id]) => `acknowledged run ${id} for ${key}, and stored ${ids.get(key)}`);
}

function lostAnswers(answered: readonly Acknowledged[], stored: readonly RunAsStored[]): string[] {
  const kept = new Map(
    stored.flatMap(({ answers }) => answers).map((one) => [one.holdId, JSON.stringify(one)]),
  );
  return answered
    .map(({ holdId, digest, by, answer }) => ({ holdId, digest, by, answer }))
    .filter((one) => kept.get(one.holdId) !== JSON.stringify(one))
    .map((one) => `acknowledged ${JSON.stringify(one)}, and stored ${kept.get(one.holdId)}`);
}

/** What was done for no run that there is, or under the key of another call. */
function strangeEffects(effects: readonly Effect[], runs: readonly RunRow[]): string[] {
  const ids = new Set(runs.map(({ id }) => id));
  const strange = effects.filter(({ runId }) => !ids.has(runId));
  const byKey = grouped(effects, ({ key }) => key);
  const shared = [...byKey].filter(
    ([, some]) => new Set(some.map(({ name, to }) => `${name} ${to}`)).size > 1,
  );
  return [
    ...strange.map((effect) => `nobody asked for ${JSON.stringify(effect)}`),
    ...shared.map(([key]) => `several calls ran under key ${key}`),
  ];
}

/** What others were told, by run. */
async function told(desk: Desk): Promise<ReadonlyMap<string, readonly OutboxRow[]>> {
  const events = await allOf((after) => desk.events({ limit: 500, after }));
  return grouped(events, ({ runId }) => runId);
}

/** All items of a list. */
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
