import type { GrantRow, HoldRow, Store } from '@holdpoint/desk';
import { personAt, rolesOf } from './cast.ts';
import type { KnownHold } from './oracle.ts';
import type { FORGERIES } from './stories.ts';

/**
 * Changes a row directly in the database. Returns true if a later execution depends on that row.
 */
export async function forge(
  store: Store,
  tenant: string,
  { id, conversation }: KnownHold,
  what: (typeof FORGERIES)[number],
  person: number,
): Promise<boolean> {
  return store.write(async (tx) => {
    const hold = await tx.holds.lock(tenant, id);
    if (hold === undefined) return false;
    if (what === 'grant') {
      const { items } = await tx.grants.list(tenant, {}, hold.createdAt);
      for (const grant of items) await tx.grants.put({ ...grant, ...forgedGrant(person) });
      return false;
    }
    if (hold.state !== 'open' && hold.state !== 'decided') return false;
    if (what === 'history') {
      const rows = await tx.messages.from(tenant, conversation, 0);
      const forged = rows.map((row) => ({ ...row, body: row.body.replaceAll('"acme', '"evil') }));
      await tx.messages.replaceFrom(tenant, conversation, 0, forged);
      return true;
    }
    if (what === 'decision') {
      const decisions = await tx.decisions.ofHold(tenant, id);
      const last = decisions.at(-1);
      if (last === undefined) return false;
      await tx.decisions.put({
        ...last,
        decision: { kind: 'approve', args: { to: 'evil', euros: 1 } },
      });
      return true;
    }
    await tx.holds.put({ ...hold, ...forgedHold(hold, what, person) });
    return true;
  });
}

function forgedHold(
  hold: HoldRow,
  what: Exclude<(typeof FORGERIES)[number], 'grant' | 'history' | 'decision'>,
  person: number,
): Partial<HoldRow> {
  const by = personAt(person);
  const vote = { ...by, at: hold.createdAt, roles: rolesOf(person) };
  switch (what) {
    case 'vote':
      return { votes: [...(hold.votes ?? []), vote] };
    case 'requirement':
      return {
        approvers: { count: 1, notRequester: false, grants: 'tenant' },
        requirements: [],
      };
    case 'arguments':
      return { validatedArgs: { to: 'harmless', euros: 1 } };
    case 'preview':
      return { preview: 'Nothing happens.' };
    case 'edit':
      return {
        proposal: {
          decision: { kind: 'approve', args: { to: 'evil', euros: 9 } },
          shown: { args: { to: 'evil', euros: 9 } },
          by,
          at: hold.createdAt,
        },
      };
    case 'requester':
      return { requester: { id: 'zed' }, otherRequesters: undefined };
  }
}

function forgedGrant(person: number): Partial<GrantRow> {
  const by = [{ ...personAt(person), at: 1, roles: rolesOf(person) }];
  return {
    match: { kind: 'any' },
    by,
    revokedAt: undefined,
    expiresAt: undefined,
    uses: undefined,
  };
}
