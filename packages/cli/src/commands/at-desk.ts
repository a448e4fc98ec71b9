import type { DeskClient } from '@holdpoint/desk/client';
import type { ReachedDesk } from '../desk/reach-desk.ts';
import type { Said } from '../desk/where.ts';
import { whereOf } from '../desk/where.ts';

/** The options of commands that ask a desk: where it is, and who asks. */
export const DESK_OPTIONS = {
  url: {
    kind: 'text',
    value: '<address>',
    help: 'where the desk is served, or HOLDPOINT_URL; HOLDPOINT_TOKEN says who you are',
  },
  store: {
    kind: 'text',
    value: '<file>',
    help: 'the SQLite file of a desk on this machine, with or without a server',
  },
  by: {
    kind: 'text',
    value: '<id>',
    help: 'who you are, with --store; the user of this machine unless given',
  },
  role: {
    kind: 'texts',
    value: '<role>',
    help: 'a role that you have, with --store; more than once for more',
  },
  tenant: {
    kind: 'text',
    value: '<id>',
    help: "whose runs, with --store; 'default' unless given",
  },
  json: { kind: 'switch', help: 'prints JSON, for programs' },
} as const;

/** The options of lists. */
export const PAGE_OPTIONS = {
  state: {
    kind: 'texts',
    value: '<state>',
    help: 'only those in this state; more than once for more',
  },
  limit: { kind: 'text', value: '<number>', help: 'how many at most, up to 500; 50 unless given' },
  after: { kind: 'text', value: '<next>', help: 'goes on where a list has ended' },
} as const;

/** Does something at a desk; gives the exit code. The desk is loaded here, so that nothing else has to pay for it. */
export async function atDesk(
  said: Said,
  work: (client: DeskClient) => Promise<number>,
): Promise<number> {
  await using desk = await reach(said);
  return await work(desk.client);
}

// TypeScript 6.0 leaves the name of a module as it is where it is imported beside a `using`.
async function reach(said: Said): Promise<ReachedDesk> {
  const where = whereOf(said, process.env);
  const { reachDesk } = await import('../desk/reach-desk.ts');
  return reachDesk(where);
}
