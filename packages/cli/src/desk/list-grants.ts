import type { DeskClient, GrantQuery, GrantView } from '@holdpoint/desk/client';
import { Screen } from '../terminal/screen.ts';
import { type Column, type ListRow, showColumns } from './columns.ts';
import { duration } from './duration.ts';
import { findGrant, shortLength } from './find-id.ts';
import { personText } from './person-text.ts';
import { printJson } from './print.ts';

/** Prints grants; gives the exit code. */
export async function listGrants(
  client: DeskClient,
  query: GrantQuery,
  isJson: boolean,
): Promise<number> {
  const page = await client.grants(query);
  if (isJson) {
    printJson(page);
    return 0;
  }
  const screen = new Screen(process.stdout);
  if (page.items.length === 0) {
    screen.plain({ text: 'Nothing was approved in advance.', style: 'dim' });
    return 0;
  }
  const length = shortLength(page.items.map(({ id }) => id));
  const rows = page.items.map((grant) => rowOf(grant, length, Date.now()));
  screen.plain(...showColumns(COLUMNS, rows, screen.columns));
  if (page.next !== undefined) {
    const more = `There are more: holdpoint grants --limit 500, or --after ${page.next}`;
    screen.plain({ text: '' }, { text: more, style: 'dim' });
  }
  return 0;
}

/** Revokes a grant that is named by the beginning of its id; gives the exit code. */
export async function revokeGrant(
  client: DeskClient,
  typed: string,
  isJson: boolean,
): Promise<number> {
  const id = await findGrant(client, typed);
  const revoked = await client.revokeGrant(id);
  if (isJson) printJson(revoked);
  else new Screen(process.stdout).plain({ text: `Revoked: ${revoked.toolName}.`, style: 'green' });
  return 0;
}

const COLUMNS: readonly Column[] = [
  { name: 'GRANT' },
  { name: 'WITHIN' },
  { name: 'USED' },
  { name: 'ENDS' },
  { name: 'BY', most: 24 },
  { name: 'CALLS' },
];

function rowOf(grant: GrantView, length: number, now: number): ListRow {
  const { id, scope, used, uses, by, toolName, revokedBy } = grant;
  return {
    cells: [
      id.slice(0, length),
      scope,
      uses === undefined ? String(used) : `${used} of ${uses}`,
      endOf(grant, now),
      by.map(personText).join(', '),
      `${toolName} ${callsOf(grant)}`,
    ],
    note: revokedBy && `revoked by ${personText(revokedBy)}`,
    style: revokedBy && 'dim',
  };
}

function endOf({ revokedAt, expiresAt }: GrantView, now: number): string {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt === undefined) return '';
  return expiresAt <= now ? 'expired' : `in ${duration(expiresAt - now)}`;
}

function callsOf({ match }: GrantView): string {
  if (match.kind === 'any') return '';
  return match.kind === 'same' ? 'with the same arguments' : JSON.stringify(match.args);
}
