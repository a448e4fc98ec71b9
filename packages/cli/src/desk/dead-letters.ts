import type { DeadLetterName, DeadLetterView, DeskClient, PageQuery } from '@holdpoint/desk/client';
import { Screen } from '../terminal/screen.ts';
import { type Column, duration, type ListRow, printJson, showColumns, timeOf } from './format.ts';

const COLUMNS: readonly Column[] = [
  { name: 'KIND' },
  { name: 'TASK' },
  { name: 'ATTEMPTS' },
  { name: 'GIVEN UP' },
  { name: 'PROBLEM' },
];

/** Prints a page of dead letters. */
export async function listDeadLetters(
  client: DeskClient,
  query: PageQuery,
  isJson: boolean,
): Promise<void> {
  const page = await client.deadLetters(query);
  if (isJson) return printJson(page);
  const screen = new Screen(process.stdout);
  if (page.items.length === 0) return screen.plain({ text: 'No dead letters.', style: 'dim' });
  const rows = page.items.map((letter) => rowOf(letter, Date.now()));
  screen.plain(...showColumns(COLUMNS, rows, screen.columns));
  screen.more(page.next, 'dead letters');
}

/** Replays or discards a dead letter. */
export async function changeDeadLetter(
  client: DeskClient,
  action: 'replay' | 'discard',
  name: DeadLetterName,
): Promise<void> {
  if (action === 'replay') await client.replayDeadLetter(name);
  else await client.discardDeadLetter(name);
  const text = `${action === 'replay' ? 'Replayed' : 'Discarded'} ${name.kind} ${name.id}.`;
  new Screen(process.stdout).plain({ text });
}

function rowOf(
  { kind, id, attempts, givenUpAt, problem = '' }: DeadLetterView,
  now: number,
): ListRow {
  const age = `${duration(now - timeOf(givenUpAt))} ago`;
  return { cells: [kind, id, String(attempts), age, problem] };
}
