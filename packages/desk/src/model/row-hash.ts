import type { DecisionRow } from './decision-row.ts';
import type { GrantRow } from './grant-row.ts';
import { hashOf } from './hash.ts';
import type { HoldRow } from './hold-row.ts';
import { toJson } from './json.ts';

/**
 * Returns the hash of everything in a hold that a decision depends on, with all decisions about it.
 * The audit records it, so that a row that was changed in the database is detected before its run
 * resumes.
 */
export function holdHash(hold: HoldRow, decisions: readonly DecisionRow[]): string {
  const { tenant, id, runId, conversationId, agent, park, callIndex, kind, key, path } = hold;
  const { toolName, args, validatedArgs, metadata, preview, schema, toolHash, inDoubt } = hold;
  const { title, annotations, question } = hold;
  const { digest, callDigest, revision, proposal, votes, approvers, requirements } = hold;
  const { escalatedAfter, remindedAfter } = hold;
  const { requester, otherRequesters, decidedBy, drifted, deniedBefore, outcome } = hold;
  return hashOf(
    'holdpoint/hold-row/1',
    toJson({
      hold: { tenant, id, runId, conversationId, agent, park, callIndex, kind, key, path },
      shown: {
        toolName,
        title,
        annotations,
        args,
        validatedArgs,
        metadata,
        preview,
        schema,
        toolHash,
        inDoubt,
        // Absent from other holds, so that their hashes stay those of earlier versions.
        question,
      },
      decided: { digest, callDigest, revision, proposal, votes, approvers, requirements },
      // Absent from other holds, so that their hashes stay those of earlier versions.
      ...(escalatedAfter !== undefined && { escalatedAfter }),
      ...(remindedAfter !== undefined && { remindedAfter }),
      facts: { requester, otherRequesters, decidedBy, drifted, deniedBefore, outcome },
      times: { expiresAt: hold.expiresAt, settledAt: hold.settledAt },
      decisions: decisions.map(decisionFacts),
    }),
  );
}

/** Returns the hash of everything in a grant that does not change while it is used. */
export function grantHash(grant: GrantRow): string {
  const { tenant, id, scope, toolName, toolHash, match, agent, path, conversationId } = grant;
  const { requester, requesterKey, by, holdId, runId, expiresAt, uses, createdAt } = grant;
  return hashOf(
    'holdpoint/grant-row/1',
    toJson({
      grant: { tenant, id, scope, toolName, toolHash, match, agent, path, conversationId },
      given: { requester, requesterKey, by, holdId, runId, expiresAt, uses, createdAt },
    }),
  );
}

function decisionFacts({
  number,
  by,
  decision,
  digest,
  countsFor,
  roles,
  grant: grantRequest,
  onBehalfOf,
  at,
}: DecisionRow) {
  const given = { number, by, decision, digest, countsFor, roles, grant: grantRequest, at };
  // Absent from other decisions, so that the hashes of their holds stay those of earlier versions.
  return onBehalfOf === undefined ? given : { ...given, onBehalfOf };
}
