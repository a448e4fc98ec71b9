import type { DeskClient, HoldQuery, HoldView } from '@holdpoint/desk/client';
import { Screen } from '../terminal/screen.ts';
import { visible } from '../terminal/visible.ts';
import { findHold, findRun } from './find-id.ts';
import { personText } from './person-text.ts';
import { printJson } from './print.ts';
import { showHold } from './show-hold.ts';
import { showHolds } from './show-lists.ts';

/** Prints holds; gives the exit code. */
export async function listHolds(
  client: DeskClient,
  { runId, ...query }: HoldQuery,
  isJson: boolean,
): Promise<number> {
  const ofRun = runId === undefined ? {} : { runId: await findRun(client, runId) };
  const page = await client.holds({ ...query, ...ofRun });
  if (isJson) {
    printJson(page);
    return 0;
  }
  const screen = new Screen(process.stdout);
  const [first] = page.items;
  if (first === undefined) {
    const isNarrowed = runId ?? query.text ?? query.states ?? query.after;
    const text =
      isNarrowed === undefined ? 'Nothing waits for an answer.' : 'There are no such holds.';
    screen.plain({ text, style: 'dim' });
    return 0;
  }
  const room = screen.columns;
  screen.plain(...showHolds(page.items, { now: Date.now(), room }));
  if (page.next !== undefined) {
    const more = `There are more: holdpoint holds --limit 500, or --after ${page.next}`;
    screen.plain({ text: '' }, { text: more, style: 'dim' });
  }
  return 0;
}

/** Prints one hold whole, with the answer to it; gives the exit code. */
export async function showOneHold(
  client: DeskClient,
  typed: string,
  isJson: boolean,
): Promise<number> {
  const answered = await client.hold(await findHold(client, typed));
  if (isJson) {
    printJson(answered);
    return 0;
  }
  const { hold, answers } = answered;
  const screen = new Screen(process.stdout);
  const run = await client.run(hold.runId);
  screen.plain(
    {
      label: { text: hold.toolName, style: 'bold' },
      text: `  ${hold.outcome ?? hold.state}, hold ${hold.id}`,
      style: 'dim',
    },
    ...showHold(hold, run, Date.now()),
    ...answers.map(({ by, answer, at }) => ({
      text: `${answer.kind}, by ${personText(by)}, ${new Date(at).toISOString()}`,
      label: { text: 'answer  ', style: 'cyan' as const },
    })),
  );
  if (hold.state === 'open') screen.plain({ text: '' }, { text: howToAnswer(hold), style: 'dim' });
  return 0;
}

function howToAnswer({ id, kind, inDoubt, proposed }: HoldView): string {
  const short = visible(id.slice(0, 8));
  const record = `holdpoint answer ${short} --result …`;
  // The outcome of a call in doubt has to be found out and recorded.
  if (inDoubt !== undefined) return `${record}, or holdpoint approve ${short} to execute it again`;
  if (kind === 'approval') {
    return `holdpoint approve ${short}, or holdpoint deny ${short} --reason …`;
  }
  return proposed === undefined ? record : `holdpoint approve ${short} to agree, or ${record}`;
}
