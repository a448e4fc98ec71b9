import type { DeskClient, RunQuery, RunView } from '@holdpoint/desk/client';
import type { JsonObject } from 'holdpoint';
import { Screen } from '../terminal/screen.ts';
import { showFields } from '../terminal/show-value.ts';
import { duration } from './duration.ts';
import { findRun } from './find-id.ts';
import { personText } from './person-text.ts';
import { printJson } from './print.ts';
import { showHolds, showRuns } from './show-lists.ts';

/** Prints runs; gives the exit code. */
export async function listRuns(
  client: DeskClient,
  query: RunQuery,
  isJson: boolean,
): Promise<number> {
  const page = await client.runs(query);
  if (isJson) {
    printJson(page);
    return 0;
  }
  const screen = new Screen(process.stdout);
  if (page.items.length === 0) {
    const isNarrowed = query.states ?? query.after;
    const text = isNarrowed === undefined ? 'There are no runs yet.' : 'There are no such runs.';
    screen.plain({ text, style: 'dim' });
    return 0;
  }
  screen.plain(...showRuns(page.items, { now: Date.now(), room: screen.columns }));
  if (page.next !== undefined) {
    const more = `There are more: holdpoint runs --limit 500, or --after ${page.next}`;
    screen.plain({ text: '' }, { text: more, style: 'dim' });
  }
  return 0;
}

/** Prints one run, with the calls that it waits for; gives the exit code. */
export async function showOneRun(
  client: DeskClient,
  typed: string,
  isJson: boolean,
): Promise<number> {
  const run = await client.run(await findRun(client, typed));
  if (isJson) {
    printJson(run);
    return 0;
  }
  const screen = new Screen(process.stdout);
  screen.plain(...showFields(fieldsOf(run)));
  const { items } = await client.holds({ runId: run.id });
  if (items.length > 0) {
    const listing = { now: Date.now(), room: screen.columns };
    screen.plain({ text: '' }, ...showHolds(items, listing));
  }
  return 0;
}

function fieldsOf(run: RunView): JsonObject {
  const { id, state, agent, conversationId, requester, createdAt, output, error } = run;
  return {
    run: id,
    state,
    agent,
    conversation: conversationId,
    ...(requester && { 'requested by': personText(requester) }),
    age: duration(Date.now() - createdAt),
    ...(output !== undefined && { output }),
    ...(error && { error: error.code ? `${error.message} (${error.code})` : error.message }),
  };
}
