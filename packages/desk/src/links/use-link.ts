import { rolesNow } from '../approvers/delegated.ts';
import type { Policy } from '../approvers/policy.ts';
import { DeskError } from '../errors/desk-error.ts';
import { type Decision, editedArgs } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Store } from '../store/store.ts';
import { decideHoldIn } from '../transitions/decide-hold.ts';
import { RunChange } from '../transitions/run-change.ts';
import { type StoredLink, storedLink } from './decision-link.ts';
import { tokenId } from './token.ts';

/** The store, the policy and the tenant in which a link is used. */
export interface LinkDeps {
  readonly store: Store;
  readonly policy: Policy;
  readonly tenant: string;
}

/**
 * Records the decision of the person of a link, and marks the link as used, in one transaction. All
 * rules for decisions apply. Of the roles of the link, those count that the person still has.
 */
export function useLink(
  { store, policy, tenant }: LinkDeps,
  token: string,
  decision: Decision,
): Promise<HoldRow> {
  return store.write(async (tx) => {
    const row = await tx.tokens.lock(tokenId(token));
    if (row?.kind !== 'decision-link' || row.tenant !== tenant) throw noSuchLink();
    const now = await tx.now();
    if (row.end !== undefined) throw linkError(`The link was ${row.end} before.`);
    if (row.expiresAt <= now) throw linkError('The link has expired.');
    const link = storedLink(row);
    requireDecisionOf(link, decision);
    const { holdId, digest, person: by } = link;
    const roles = await rolesNow(by, link.roles, tenant, policy.rolesOf);
    if (roles === undefined) throw unknownPerson();
    const given = { decision, by, roles, digest };
    const hold = await decideHoldIn(tx, policy, tenant, holdId, given);
    await tx.tokens.put({ ...row, end: 'used', endedAt: now });
    const change = await RunChange.of(tx, tenant, hold.runId);
    change?.record('link-used', { holdId, link: link.id, kind: decision.kind }, by);
    await change?.save();
    return hold;
  });
}

function requireDecisionOf(link: StoredLink, decision: Decision): void {
  const possible: readonly string[] = link.decision === undefined ? BOTH : [link.decision];
  const isEdit = editedArgs(decision) !== undefined;
  if (possible.includes(decision.kind) && !isEdit) return;
  const given = isEdit ? 'edited arguments' : `\`${decision.kind}\``;
  throw new DeskError(
    'decision-does-not-fit',
    `This link does not accept ${given}. Nothing was written. Use one of: ${possible.join(', ')}.`,
  );
}

const BOTH: readonly string[] = ['approve', 'deny'];

/** The token is a secret, so the message does not contain it. */
function noSuchLink(): DeskError {
  return new DeskError(
    'not-found',
    'The tenant has no such decision link. Nothing was written. Check the token, and the tenant.',
  );
}

function unknownPerson(): DeskError {
  return new DeskError(
    'may-not-decide',
    'The application does not know the person of this link any more. Nothing was written. Another approver must decide.',
  );
}

function linkError(why: string): DeskError {
  return new DeskError('link-ended', `${why} Nothing was written. Create another link.`);
}
