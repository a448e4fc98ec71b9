import { createHash } from 'node:crypto';
import type { AnswerRow } from './answer-row.ts';
import type { GrantRow } from './grant-row.ts';
import type { HoldRow } from './hold-row.ts';
import { toJson } from './json.ts';

/**
 * Returns the hash of everything in a hold that a decision depends on, with all decisions about it. The audit
 * records it, so a row that was changed in the database is noticed before its run resumes.
 */
export function holdHash(hold: HoldRow, answers: readonly AnswerRow[]): string {
  const { tenant, id, runId, conversationId, agent, park, place, kind, key, path } = hold;
  const { toolName, args, checkedArgs, metadata, preview, schema, toolHash, inDoubt } = hold;
  const { digest, callDigest, revision, proposal, votes, approvers, requirements } = hold;
  const { requester, alsoAsked, decidedBy, drifted, deniedBefore, outcome } = hold;
  return textHash('holdpoint/hold-row/1', {
    hold: { tenant, id, runId, conversationId, agent, park, place, kind, key, path },
    shown: { toolName, args, checkedArgs, metadata, preview, schema, toolHash, inDoubt },
    decided: { digest, callDigest, revision, proposal, votes, approvers, requirements },
    facts: { requester, alsoAsked, decidedBy, drifted, deniedBefore, outcome },
    times: { expiresAt: hold.expiresAt, settledAt: hold.settledAt },
    answers: answers.map(answerFacts),
  });
}

/** Returns the hash of everything in a grant that does not change while it is used. */
export function grantHash(grant: GrantRow): string {
  const { tenant, id, scope, toolName, toolHash, match, agent, path, conversationId } = grant;
  const { requester, requesterKey, by, holdId, runId, expiresAt, uses, createdAt } = grant;
  return textHash('holdpoint/grant-row/1', {
    grant: { tenant, id, scope, toolName, toolHash, match, agent, path, conversationId },
    given: { requester, requesterKey, by, holdId, runId, expiresAt, uses, createdAt },
  });
}

function answerFacts({ number, by, answer, digest, countsFor, roles, remember, at }: AnswerRow) {
  return { number, by, answer, digest, countsFor, roles, remember, at };
}

/** Rows are stored as JSON texts, so the order of members is that of the hash. */
function textHash(domain: string, value: object): string {
  return createHash('sha256')
    .update(JSON.stringify([domain, toJson(value)]))
    .digest('hex');
}
