import type { DeskClient, GrantQuery, GrantView } from '@holdpoint/desk/client';
import { Screen } from '../terminal/screen.ts';
import { findGrant, shortLength } from './find-id.ts';
import {
  type Column,
  duration,
  type ListRow,
  personText,
  printJson,
  showColumns,
  timeOf,
} from './format.ts';

const COLUMNS: readonly Column[] = [
  { name: 'GRANT' },
  { name: 'SCOPE' },
  { name: 'USED' },
  { name: 'EXPIRES' },
  { name: 'BY', maxWidth: 24 },
  { name: 'CALLS' },
];

/** Prints a page of grants. */
export async function listGrants(
  client: DeskClient,
  query: GrantQuery,
  isJson: boolean,
): Promise<void> {
  const page = await client.grants(query);
  if (isJson) return printJson(page);
  const screen = new Screen(process.stdout);
  if (page.items.length === 0) return screen.plain({ text: 'No grants.', style: 'dim' });
  const length = shortLength(page.items.map(({ id }) => id));
  const rows = page.items.map((grant) => rowOf(grant, length, Date.now()));
  screen.plain(...showColumns(COLUMNS, rows, screen.columns));
  screen.more(page.next, 'grants');
}

/** Revokes a grant. */
export async function revokeGrant(
  client: DeskClient,
  typed: string,
  isJson: boolean,
): Promise<void> {
  const revoked = await client.revokeGrant(await findGrant(client, typed));
  if (isJson) return printJson(revoked);
  const text = `Revoked the grant for ${revoked.toolName}. Later calls need approval.`;
  new Screen(process.stdout).plain({ text, style: 'green' });
}

function rowOf(grant: GrantView, length: number, now: number): ListRow {
  const { id, scope, used, uses, by, toolName, revokedBy } = grant;
  return {
    cells: [
      id.slice(0, length),
      scope,
      uses === undefined ? String(used) : `${used} of ${uses}`,
      expiryOf(grant, now),
      by.map(personText).join(', '),
      `${toolName} ${callsOf(grant)}`,
    ],
    note: revokedBy && `revoked by ${personText(revokedBy)}`,
    style: revokedBy && 'dim',
  };
}

function expiryOf({ revokedAt, expiresAt }: GrantView, now: number): string {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt === undefined) return 'never';
  const left = timeOf(expiresAt) - now;
  return left <= 0 ? 'expired' : `in ${duration(left)}`;
}

function callsOf({ match }: GrantView): string {
  if (match.kind === 'any') return '';
  return match.kind === 'same' ? 'with the same arguments' : JSON.stringify(match.args);
}
