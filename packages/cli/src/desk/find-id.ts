import type { DeskClient, HoldView, Page } from '@holdpoint/desk/client';
import { UserError } from 'holdpoint';

/** The states of holds. */
export const HOLD_STATES: readonly HoldView['state'][] = [
  'open',
  'decided',
  'expired',
  'superseded',
  'cancelled',
  'consumed',
];

const WHOLE = /^[0-9a-f]{32}$/;
const PREFIX = /^[0-9a-f]{4,31}$/;
const SHORT = 8;

type List = (query: { readonly idPrefix: string }) => Promise<Page<{ readonly id: string }>>;

/** Finds a hold by the first characters of its id. An open hold takes precedence over settled ones. */
export function findHold(client: DeskClient, typed: string): Promise<string> {
  return find('hold', typed, async ({ idPrefix }) => {
    const { items, next } = await client.holds({ idPrefix, states: HOLD_STATES });
    const open = items.filter(({ state }) => state === 'open');
    return { items: open.length === 0 ? items : open, next };
  });
}

/** Finds a run by the first characters of its id. */
export function findRun(client: DeskClient, typed: string): Promise<string> {
  return find('run', typed, (query) => client.runs(query));
}

/** Finds a grant by the first characters of its id. */
export function findGrant(client: DeskClient, typed: string): Promise<string> {
  return find('grant', typed, (query) => client.grants(query));
}

async function find(noun: string, typed: string, list: List): Promise<string> {
  if (WHOLE.test(typed)) return typed;
  if (!PREFIX.test(typed)) {
    throw new UserError(
      `\`${typed}\` is not the id of a ${noun}. Pass the id, or at least its first four characters.`,
    );
  }
  const { items, next } = await list({ idPrefix: typed });
  const [found, another] = items;
  if (another !== undefined || next !== undefined) {
    throw new UserError(`Several ${noun}s begin with \`${typed}\`. Pass more of the id.`);
  }
  if (found !== undefined) return found.id;
  throw new UserError(
    `No ${noun} begins with \`${typed}\`. Run \`holdpoint ${noun}s\` to list them.`,
  );
}

/** Returns the length at which the prefixes of all ids differ. */
export function shortLength(ids: readonly string[]): number {
  const all = new Set(ids).size;
  for (let length = SHORT; ; length += 2) {
    if (new Set(ids.map((id) => id.slice(0, length))).size === all) return length;
  }
}

/** Shortens an id for people. */
export function shortId(id: string): string {
  return id.slice(0, SHORT);
}
