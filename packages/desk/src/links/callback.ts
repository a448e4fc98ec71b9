import type { Policy } from '../approvers/policy.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { Decision } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import type { Person } from '../model/person.ts';
import type { Store } from '../store/store.ts';
import { decideHoldIn, lockedHold } from '../transitions/decide-hold.ts';
import { RunChange } from '../transitions/run-change.ts';
import { type IssuedToken, issueToken } from './issue-token.ts';
import { tokenId } from './token.ts';

/** Options of `desk.callbackUrl`. */
export interface CallbackOptions {
  /** The program that gets the address. It is recorded as the author of the result; `callback` by default. */
  readonly for?: Person | undefined;
  /** The roles of the program, if the policy demands any. */
  readonly roles?: readonly string[] | undefined;
  /** The time until the address expires, in milliseconds; a day by default. */
  readonly expiresAfter?: number | undefined;
}

/** The data of the token of a callback. */
interface CallbackData {
  readonly digest: string;
  readonly person: Person;
  readonly roles: readonly string[];
}

/** The result of an external call, or the reason of its failure. */
export type CallbackResult = Extract<Decision, { readonly kind: 'result' | 'fail' }>;

/** Creates an address at which a program supplies the result of an external call, once. */
export function makeCallback(
  store: Store,
  tenant: string,
  holdId: string,
  given: {
    readonly person: Person;
    readonly roles: readonly string[];
    readonly expiresAfter: number;
  },
): Promise<IssuedToken> {
  return store.write(async (tx) => {
    const { change, hold } = await lockedHold(tx, tenant, holdId);
    if (hold.state !== 'open' || hold.kind !== 'external') throw notExternal(hold);
    const { digest } = hold;
    const { person, roles, expiresAfter } = given;
    const data: CallbackData = { digest, person, roles };
    const issued = await issueToken(tx, {
      kind: 'callback',
      tenant,
      about: holdId,
      person,
      // The JSON of an object is an object.
      data: toJson(data) as {},
      expiresAfter,
    });
    const { id: link, expiresAt } = issued.row;
    change.record('link-created', { holdId, digest, link, expiresAt });
    await change.save();
    return issued;
  });
}

/** Records the result of an external call with a callback, in one transaction that ends the callback. */
export function useCallback(
  store: Store,
  policy: Policy,
  token: string,
  decision: CallbackResult,
): Promise<HoldRow> {
  return store.write(async (tx) => {
    const row = await tx.tokens.lock(tokenId(token));
    if (row?.kind !== 'callback') throw noSuchCallback();
    const now = await tx.now();
    if (row.end !== undefined) throw ended(`The callback address was ${row.end} before.`);
    if (row.expiresAt <= now) throw ended('The callback address has expired.');
    const { id: link, tenant, about: holdId } = row;
    // Only `makeCallback` writes such rows.
    const { digest, person: by, roles } = row.data as unknown as CallbackData;
    const hold = await decideHoldIn(tx, policy, tenant, holdId, { decision, by, roles, digest });
    await tx.tokens.put({ ...row, end: 'used', endedAt: now });
    const change = await RunChange.of(tx, tenant, hold.runId);
    change?.record('link-used', { holdId, link, kind: decision.kind }, by);
    await change?.save();
    return hold;
  });
}

function notExternal({ id, kind, state }: HoldRow): DeskError {
  const about = state === 'open' ? `has the kind \`${kind}\`` : `is ${state}`;
  return new DeskError(
    'decision-does-not-fit',
    `Hold \`${id}\` ${about}, so a callback could not supply its result. Use an open hold of the kind \`external\`.`,
  );
}

/** The token is a secret, so the message does not contain it. */
function noSuchCallback(): DeskError {
  return new DeskError('not-found', 'There is no such callback address. Nothing was written.');
}

function ended(why: string): DeskError {
  return new DeskError('link-ended', `${why} Nothing was written. Create another one.`);
}
