import type { DeskClient, Page } from '@holdpoint/desk/client';
import { UserError } from 'holdpoint';

const WHOLE = /^[0-9a-f]{32}$/;
const BEGINNING = /^[0-9a-f]{4,31}$/;
const SHORT = 8;

interface WithId {
  readonly id: string;
}

/** Finds a hold by the beginning of its id: an open one, or else a settled one. */
export async function findHold(client: DeskClient, typed: string): Promise<string> {
  const settled = ['decided', 'expired', 'superseded', 'cancelled', 'consumed'] as const;
  return find('hold', typed, [
    (query) => client.holds(query),
    (query) => client.holds({ ...query, states: settled }),
  ]);
}

/** Finds a run by the beginning of its id. */
export async function findRun(client: DeskClient, typed: string): Promise<string> {
  return find('run', typed, [(query) => client.runs(query)]);
}

/** Finds a grant by the beginning of its id. */
export async function findGrant(client: DeskClient, typed: string): Promise<string> {
  return find('grant', typed, [(query) => client.grants(query)]);
}

/** Two are enough to know that a beginning is ambiguous. */
interface FirstTwo {
  readonly idPrefix: string;
  readonly limit: 2;
}

type List = (query: FirstTwo) => Promise<Page<WithId>>;

/** Asks one list after the other; an item of an earlier list takes precedence. */
async function find(what: string, typed: string, lists: readonly List[]): Promise<string> {
  if (WHOLE.test(typed)) return typed;
  if (!BEGINNING.test(typed)) {
    throw new UserError(
      `\`${typed}\` is not the id of a ${what}. Pass the id, or at least its first four characters.`,
    );
  }
  for (const list of lists) {
    const { items } = await list({ idPrefix: typed, limit: 2 });
    const [found, another] = items;
    if (another !== undefined) {
      throw new UserError(`Several ${what}s begin with \`${typed}\`. Pass more of the id.`);
    }
    if (found !== undefined) return found.id;
  }
  throw new UserError(
    `No ${what} begins with \`${typed}\`. Run \`holdpoint ${what}s\` to list them.`,
  );
}

/** How many characters of ids are enough to tell them apart. */
export function shortLength(ids: readonly string[]): number {
  const all = new Set(ids).size;
  for (let length = SHORT; ; length += 2) {
    if (new Set(ids.map((id) => id.slice(0, length))).size === all) return length;
  }
}

/** The beginning of an id, enough for people. */
export function shortId(id: string): string {
  return id.slice(0, SHORT);
}
