import { matchOf } from '../approvers/grant-fits.ts';
import { personKey } from '../approvers/same-person.ts';
import type { GrantRow } from '../model/grant-row.ts';
import { hashOf } from '../model/hash.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { newId } from '../model/new-id.ts';
import { grantHash } from '../model/row-hash.ts';
import { approvedArgs } from '../model/final-decision.ts';
import type { RunChange } from './run-change.ts';

/** Creates the grant that the approvers of a hold agreed to. */
export async function makeGrant(change: RunChange, hold: HoldRow): Promise<void> {
  const { proposal, toolHash, votes = [] } = hold;
  const grantRequest = proposal?.grant;
  if (grantRequest === undefined || toolHash === undefined) return;
  const { tx, now } = change;
  const { tenant, agent, conversationId, requester, toolName } = hold;
  const { scope = 'conversation', expiresAfter, uses } = grantRequest;
  const grant: GrantRow = {
    tenant,
    id: newId(),
    scope,
    toolName,
    toolHash,
    match: matchOf(grantRequest, approvedArgs(hold)),
    agent,
    path: hold.path.map((call) => call.toolName),
    conversationId,
    requester,
    requesterKey: requester && personKey(requester),
    by: votes,
    holdId: hold.id,
    runId: hold.runId,
    expiresAt: expiresAfter === undefined ? undefined : now + expiresAfter,
    uses,
    used: 0,
    createdAt: now,
  };
  change.record('grant-created', {
    grantId: grant.id,
    grant: grantHash(grant),
    holdId: hold.id,
    scope,
    tool: toolHash,
    match: hashOf('holdpoint/grant-match/1', grant.match),
    ...(grant.expiresAt !== undefined && { expiresAt: grant.expiresAt }),
    ...(uses !== undefined && { uses }),
  });
  await tx.grants.insert({ ...grant, auditEntry: change.run.auditCount });
  await change.emit('grant-created', { grantId: grant.id, holdId: hold.id });
}
