import type { DeskClient, Page } from '@holdpoint/desk/client';
import { UserError } from 'holdpoint';

const WHOLE = /^[0-9a-f]{32}$/;
const BEGINNING = /^[0-9a-f]{4,31}$/;
const PAGE = 500;
const SHORT = 8;

interface WithId {
  readonly id: string;
}

/** The id of a hold of which somebody has typed the beginning: that of an open one, or else of any. */
export async function findHold(client: DeskClient, typed: string): Promise<string> {
  const settled = ['decided', 'expired', 'superseded', 'cancelled', 'consumed'] as const;
  return find('hold', typed, [
    (after) => client.holds({ after, limit: PAGE }),
    (after) => client.holds({ states: settled, after, limit: PAGE }),
  ]);
}

/** The id of a run of which somebody has typed the beginning. */
export async function findRun(client: DeskClient, typed: string): Promise<string> {
  return find('run', typed, [(after) => client.runs({ after, limit: PAGE })]);
}

/** The id of a grant of which somebody has typed the beginning. */
export async function findGrant(client: DeskClient, typed: string): Promise<string> {
  return find('grant', typed, [(after) => client.grants({ after, limit: PAGE })]);
}

type List = (after: string | undefined) => Promise<Page<WithId>>;

/** Looks in one list after the other; what is in the first of them is meant. */
async function find(what: string, typed: string, lists: readonly List[]): Promise<string> {
  if (WHOLE.test(typed)) return typed;
  if (!BEGINNING.test(typed)) {
    throw new UserError(
      `'${typed}' is not the id of a ${what}. Give the id, or its first four characters at least.`,
    );
  }
  for (const list of lists) {
    const [found, another] = await idsIn(list, typed);
    if (another !== undefined) {
      throw new UserError(
        `There are several ${what}s that begin with '${typed}'. Give more of it.`,
      );
    }
    if (found !== undefined) return found;
  }
  throw new UserError(
    `There is no ${what} that begins with '${typed}'. They are listed by holdpoint ${what}s.`,
  );
}

/** The first two that begin so. */
async function idsIn(list: List, beginning: string): Promise<readonly string[]> {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await list(after);
    for (const { id } of items) if (id.startsWith(beginning)) found.push(id);
    after = next;
  } while (after !== undefined && found.length < 2);
  return found;
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
