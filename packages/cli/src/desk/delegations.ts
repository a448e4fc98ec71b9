import type { DelegateBody, DelegationView, DeskClient, PageQuery } from '@holdpoint/desk/client';
import { Screen } from '../terminal/screen.ts';
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
  { name: 'DELEGATION' },
  { name: 'ENDS' },
  { name: 'FROM', maxWidth: 24 },
  { name: 'TO', maxWidth: 24 },
  { name: 'ROLES' },
];

/** Prints a page of the delegations from and to the caller. */
export async function listDelegations(
  client: DeskClient,
  query: PageQuery & { readonly live?: boolean | undefined },
  isJson: boolean,
): Promise<void> {
  const page = await client.delegations(query);
  if (isJson) return printJson(page);
  const screen = new Screen(process.stdout);
  if (page.items.length === 0) return screen.plain({ text: 'No delegations.', style: 'dim' });
  const rows = page.items.map((delegation) => rowOf(delegation, Date.now()));
  screen.plain(...showColumns(COLUMNS, rows, screen.columns));
  screen.more(page.next, 'delegations');
}

/** Lets another person decide on behalf of the caller. */
export async function delegate(
  client: DeskClient,
  body: DelegateBody,
  isJson: boolean,
): Promise<void> {
  const created = await client.delegate(body);
  if (isJson) return printJson(created);
  const text = `${personText(created.to)} can decide on your behalf until ${created.until}. Delegation ${created.id}.`;
  new Screen(process.stdout).plain({ text, style: 'green' });
}

/** Revokes a delegation. */
export async function revokeDelegation(
  client: DeskClient,
  id: string,
  isJson: boolean,
): Promise<void> {
  const revoked = await client.revokeDelegation(id);
  if (isJson) return printJson(revoked);
  const text = `${personText(revoked.to)} can no longer decide on behalf of ${personText(revoked.from)}.`;
  new Screen(process.stdout).plain({ text, style: 'green' });
}

function rowOf(delegation: DelegationView, now: number): ListRow {
  const { id, from, to, roles, revokedBy } = delegation;
  return {
    // Ids are not shortened: `revoke` takes the whole id.
    cells: [id, endOf(delegation, now), personText(from), personText(to), roles.join(', ')],
    note: revokedBy && `revoked by ${personText(revokedBy)}`,
    style: revokedBy && 'dim',
  };
}

function endOf({ revokedAt, until }: DelegationView, now: number): string {
  if (revokedAt !== undefined) return 'revoked';
  const left = timeOf(until) - now;
  return left <= 0 ? 'ended' : `in ${duration(left)}`;
}
