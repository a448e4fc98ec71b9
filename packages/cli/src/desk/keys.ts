import type {
  CreatedKeyView,
  CreateKeyBody,
  DeskClient,
  KeyView,
  RotateKeyBody,
} from '@holdpoint/desk/client';
import { UserError } from 'holdpoint';
import { Screen } from '../terminal/screen.ts';
import { type Column, duration, type ListRow, printJson, showColumns, timeOf } from './format.ts';

const COLUMNS: readonly Column[] = [
  { name: 'KEY' },
  { name: 'ACCOUNT', maxWidth: 40 },
  { name: 'BEGINS' },
  { name: 'SCOPES' },
  { name: 'EXPIRES' },
  { name: 'LAST USED' },
];

/** The number of characters of an id that lists show. */
const SHOWN = 12;

/** Prints the keys of service accounts. */
export async function listKeys(client: DeskClient, isJson: boolean): Promise<void> {
  const list = await client.keys();
  if (isJson) return printJson(list);
  const screen = new Screen(process.stdout);
  if (list.items.length === 0) return screen.plain({ text: 'No keys.', style: 'dim' });
  const rows = list.items.map((key) => rowOf(key, Date.now()));
  screen.plain(...showColumns(COLUMNS, rows, screen.columns));
}

/** Creates a key, and prints its secret. */
export async function createKey(
  client: DeskClient,
  body: CreateKeyBody,
  isJson: boolean,
): Promise<void> {
  showCreated(await client.createKey(body), isJson);
}

/** Replaces a key, and prints the secret of the new one. */
export async function rotateKey(
  client: DeskClient,
  typed: string,
  body: RotateKeyBody,
  isJson: boolean,
): Promise<void> {
  showCreated(await client.rotateKey(await findKey(client, typed), body), isJson);
}

/** Revokes a key. */
export async function revokeKey(client: DeskClient, typed: string, isJson: boolean): Promise<void> {
  const revoked = await client.revokeKey(await findKey(client, typed));
  if (isJson) return printJson(revoked);
  const text = `Revoked the key ${revoked.prefix}… of ${revoked.account}.`;
  new Screen(process.stdout).plain({ text, style: 'green' });
}

function showCreated(created: CreatedKeyView, isJson: boolean): void {
  if (isJson) return printJson(created);
  const { account, scopes, key, expiresAt } = created;
  const left = duration(timeOf(expiresAt) - Date.now());
  new Screen(process.stdout).plain(
    { text: `Key of ${account} with ${scopes.join(', ')}, valid for ${left}:`, style: 'green' },
    { text: key },
    { text: 'Store it now: it cannot be shown again.', style: 'dim' },
  );
}

/** Returns the id of the only key that begins with the typed characters. */
async function findKey(client: DeskClient, typed: string): Promise<string> {
  const { items } = await client.keys();
  const found = items.filter(({ id, prefix }) => id.startsWith(typed) || prefix === typed);
  const [key] = found;
  if (key !== undefined && found.length === 1) return key.id;
  const problem = key === undefined ? 'No key has' : 'Several keys have';
  throw new UserError(
    `${problem} an id that begins with \`${typed}\`. Run \`holdpoint keys list\`, and pass more of the id.`,
  );
}

function rowOf(key: KeyView, now: number): ListRow {
  const { id, account, prefix, scopes, state, expiresAt, lastUsedAt } = key;
  return {
    cells: [
      id.slice(0, SHOWN),
      account,
      `${prefix}…`,
      scopes.join(', '),
      state === 'active' ? `in ${duration(timeOf(expiresAt) - now)}` : state,
      lastUsedAt === undefined ? 'never' : `${duration(now - timeOf(lastUsedAt))} ago`,
    ],
    style: state === 'active' ? undefined : 'dim',
  };
}
