import type { Policy } from '../approvers/policy.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { HoldAnswer } from '../model/answer-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Store } from '../store/store.ts';
import { answerHoldIn } from '../transitions/answer-hold.ts';
import { RunChange } from '../transitions/run-change.ts';
import { type StoredLink, storedLink } from './answer-link.ts';
import { tokenId } from './token.ts';

/** The store, the policy and the tenant in which a link is used. */
export interface LinkDeps {
  readonly store: Store;
  readonly policy: Policy;
  readonly tenant: string;
}

/**
 * Answers with a link, as the person that it was made for, and uses it up: both are written, or nothing.
 * The answer goes by the rules of every other answer.
 */
export function useLink(
  { store, policy, tenant }: LinkDeps,
  token: string,
  answer: HoldAnswer,
): Promise<HoldRow> {
  return store.write(async (tx) => {
    const row = await tx.tokens.lock(tokenId(token));
    if (row?.kind !== 'answer-link' || row.tenant !== tenant) throw noSuchLink();
    const now = await tx.now();
    if (row.end !== undefined) throw linkError(`The link was ${row.end} before.`);
    if (row.expiresAt <= now) throw linkError('The link has expired.');
    const link = storedLink(row);
    requireAnswerOf(link, answer);
    const { holdId, digest, person: by, roles } = link;
    const given = { answer, by, roles, digest };
    const hold = await answerHoldIn(tx, policy, tenant, holdId, given);
    await tx.tokens.put({ ...row, end: 'used', endedAt: now });
    const change = await RunChange.of(tx, tenant, hold.runId);
    change?.note('link-used', { holdId, link: link.id, kind: answer.kind }, by);
    await change?.save();
    return hold;
  });
}

function requireAnswerOf(link: StoredLink, { kind }: HoldAnswer): void {
  const possible: readonly string[] = link.answer === undefined ? BOTH : [link.answer];
  if (possible.includes(kind)) return;
  throw new DeskError(
    'answer-does-not-fit',
    `This link does not take '${kind}'. Nothing was written. It takes: ${possible.join(', ')}.`,
  );
}

const BOTH: readonly string[] = ['approve', 'deny'];

/** The token is a secret, so the message does not have it. */
function noSuchLink(): DeskError {
  return new DeskError(
    'not-found',
    'The tenant has no such answer link. Nothing was written. Check the token, and the tenant.',
  );
}

function linkError(why: string): DeskError {
  return new DeskError('link-ended', `${why} Nothing was written. Ask for another one.`);
}
