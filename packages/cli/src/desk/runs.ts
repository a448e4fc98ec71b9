import type { DeskClient, EventView, RunQuery, RunSummary, RunView } from '@holdpoint/desk/client';
import type { JsonObject } from 'holdpoint';
import type { Line } from '../terminal/lines.ts';
import { Screen } from '../terminal/screen.ts';
import { showFields } from '../terminal/values.ts';
import { findRun, shortId, shortLength } from './find-id.ts';
import {
  type Column,
  duration,
  type ListRow,
  personText,
  printJson,
  printJsonLine,
  showColumns,
  timeOf,
} from './format.ts';
import { showHolds } from './holds.ts';

/** Prints a page of runs. */
export async function listRuns(
  client: DeskClient,
  query: RunQuery,
  isJson: boolean,
): Promise<void> {
  const page = await client.runs(query);
  if (isJson) return printJson(page);
  const screen = new Screen(process.stdout);
  if (page.items.length === 0) {
    const isFiltered = Object.values(query).some((value) => value !== undefined);
    const text = isFiltered ? 'No runs match.' : 'No runs yet.';
    return screen.plain({ text, style: 'dim' });
  }
  screen.plain(...showRuns(page.items, { now: Date.now(), room: screen.columns }));
  screen.more(page.next, 'runs');
}

/** Prints one run with its open holds. */
export async function showOneRun(
  client: DeskClient,
  typed: string,
  isJson: boolean,
): Promise<void> {
  const run = await client.run(await findRun(client, typed));
  if (isJson) return printJson(run);
  const screen = new Screen(process.stdout);
  screen.plain(...showFields(fieldsOf(run)));
  const { items } = await client.holds({ runId: run.id });
  if (items.length === 0) return;
  const lines = showHolds(items, { now: Date.now(), room: screen.columns });
  screen.plain({ text: '' }, ...lines);
}

function fieldsOf(run: RunView): JsonObject {
  const { id, state, agent, conversationId, requester, prompt, createdAt, output, error } = run;
  return {
    run: id,
    state,
    agent,
    conversation: conversationId,
    ...(requester && { 'requested by': personText(requester) }),
    ...(prompt !== undefined && { prompt }),
    age: duration(Date.now() - timeOf(createdAt)),
    ...(output !== undefined && { output }),
    ...(error && { error: error.code ? `${error.message} (${error.code})` : error.message }),
  };
}

/** Prints the run that a command started or changed. */
export function printRun(run: RunSummary, verb: string, isJson: boolean): void {
  if (isJson) return printJson(run);
  const { id, agent, state, conversationId } = run;
  const isCancelled = state === 'cancelled';
  const text = `${verb} run ${shortId(id)} of ${agent}.${isCancelled ? '' : ` It is ${state}.`}`;
  const next = [
    `holdpoint runs show ${shortId(id)}`,
    ...(isCancelled ? [] : [`holdpoint message ${conversationId} …`]),
  ];
  new Screen(process.stdout).plain(
    { text, style: 'green' },
    { text: 'Next:', style: 'dim' },
    ...next.map((command) => ({ text: `  ${command}`, style: 'dim' as const })),
  );
}

/** Formats runs, one line each. */
export function showRuns(
  runs: readonly RunSummary[],
  { now, room }: { readonly now: number; readonly room: number },
): readonly Line[] {
  const length = shortLength(runs.map(({ id }) => id));
  const [nameWidth, promptWidth] = room < 110 ? [10, 18] : [20, 40];
  const columns: readonly Column[] = [
    { name: 'RUN' },
    { name: 'STATE' },
    { name: 'AGE' },
    { name: 'AGENT', maxWidth: nameWidth },
    { name: 'BY', maxWidth: nameWidth },
    { name: 'PROMPT', maxWidth: promptWidth },
    { name: 'OUTCOME' },
  ];
  const rows = runs.map((run): ListRow => {
    const { id, state, createdAt, agent, requester, prompt = '' } = run;
    const hasFailed = state === 'failed' || state === 'stuck';
    const age = duration(now - timeOf(createdAt));
    const cells = [id.slice(0, length), state, age, agent, requester?.id ?? '', prompt];
    return { cells: [...cells, outcomeOf(run)], style: hasFailed ? 'red' : undefined };
  });
  return showColumns(columns, rows, room);
}

function outcomeOf({ outcome = '', openHolds }: RunSummary): string {
  if (openHolds === 0) return outcome;
  return `${openHolds} open ${openHolds === 1 ? 'hold' : 'holds'}`;
}

/** Prints events until `signal` aborts. */
export async function printEvents(
  client: DeskClient,
  isJson: boolean,
  signal: AbortSignal,
): Promise<void> {
  const screen = new Screen(process.stdout);
  // The stream connects again and again. A wrong address or token must end the command instead.
  await client.me();
  if (!isJson) screen.plain({ text: 'Listening. Press Ctrl-C to stop.', style: 'dim' });
  try {
    for await (const event of client.events({ signal })) {
      if (isJson) printJsonLine(event);
      else screen.plain(eventLine(event));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function eventLine({ at, kind, runId, data }: EventView): Line {
  const { holdId } = data;
  const hold = typeof holdId === 'string' ? `, hold ${shortId(holdId)}` : '';
  return {
    text: `run ${shortId(runId)}${hold}`,
    label: [{ text: `${at.slice(11, 19)}  `, style: 'dim' }, { text: kind.padEnd(16) }],
  };
}
