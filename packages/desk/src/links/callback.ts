import type { Policy } from '../approvers/policy.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { Decision } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import { isAccountId, type KeyScope } from '../model/key-scope.ts';
import type { Person } from '../model/person.ts';
import type { TokenRow } from '../model/token-row.ts';
import type { RequestDeps } from '../requests/create-request.ts';
import { lockClaimed, lockOwned } from '../requests/request-call.ts';
import { settleRequestIn } from '../requests/settle-request.ts';
import type { Store, Tx } from '../store/store.ts';
import { decideHoldIn, lockedHold } from '../transitions/decide-hold.ts';
import { settledHoldOf } from '../transitions/resume-run.ts';
import { RunChange } from '../transitions/run-change.ts';
import { hasActiveKey } from './api-key.ts';
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
  /** The person who creates the address, for the audit. */
  readonly by?: Person | undefined;
}

/** The data of the token of a callback for an external call. */
interface HoldCallback {
  readonly digest: string;
  readonly person: Person;
  readonly roles: readonly string[];
}

/** The data of the token of a callback for a claimed request. */
interface ClaimCallback {
  /** The token of the claim. */
  readonly claim: string;
  readonly person: Person;
}

/** The result of an external call, or the reason of its failure. */
export type CallbackResult = Extract<Decision, { readonly kind: 'result' | 'fail' }>;

/** The parts of a desk that callbacks need. */
export interface CallbackDeps extends RequestDeps {
  readonly policy: Policy;
}

/** Creates an address at which a program supplies the result of an external call, once. */
export function makeCallback(
  store: Store,
  tenant: string,
  holdId: string,
  given: {
    readonly person: Person;
    readonly roles: readonly string[];
    readonly expiresAfter: number;
    readonly by?: Person | undefined;
  },
): Promise<IssuedToken> {
  return store.write(async (tx) => {
    const { change, hold } = await lockedHold(tx, tenant, holdId);
    if (hold.state !== 'open' || hold.kind !== 'external') throw notExternal(hold);
    const { digest } = hold;
    const { person, roles, expiresAfter, by } = given;
    const data: HoldCallback = { digest, person, roles };
    const about = { tenant, about: holdId, person, expiresAfter };
    const issued = await issueCallback(tx, about, data);
    const { id: link, expiresAt } = issued.row;
    change.record('link-created', { holdId, digest, link, expiresAt }, by);
    await change.save();
    return issued;
  });
}

/** Creates an address at which another program settles the claim of a request, once. */
export function makeClaimCallback(
  store: Store,
  tenant: string,
  requestId: string,
  given: { readonly by: Person; readonly token: string; readonly expiresAfter: number },
): Promise<IssuedToken> {
  return store.write(async (tx) => {
    const { by, token: claim, expiresAfter } = given;
    const change = await lockOwned(tx, tenant, requestId, by);
    await lockClaimed(change, claim);
    const hold = await settledHoldOf(change);
    const data: ClaimCallback = { claim, person: by };
    const about = { tenant, about: requestId, person: by, expiresAfter };
    const issued = await issueCallback(tx, about, data);
    const { id: link, expiresAt } = issued.row;
    change.record('link-created', { ...(hold && { holdId: hold.id }), link, expiresAt }, by);
    await change.save();
    return issued;
  });
}

function issueCallback(
  tx: Tx,
  about: Pick<TokenRow, 'tenant' | 'about'> & {
    readonly person: Person;
    readonly expiresAfter: number;
  },
  data: HoldCallback | ClaimCallback,
): Promise<IssuedToken> {
  // The JSON of an object is an object.
  return issueToken(tx, { kind: 'callback', ...about, data: toJson(data) as {} });
}

/**
 * Records a result with a callback, in one transaction that ends the callback. Returns the hold of an external call;
 * `undefined` for a claimed request.
 */
export function useCallback(
  deps: CallbackDeps,
  token: string,
  result: CallbackResult,
): Promise<HoldRow | undefined> {
  return deps.store.write(async (tx) => {
    const row = await tx.tokens.lock(tokenId(token));
    if (row?.kind !== 'callback') throw noSuchCallback();
    const now = await tx.now();
    if (row.end !== undefined) throw callbackEnded(`The callback address was ${row.end} before.`);
    if (row.expiresAt <= now) throw callbackEnded('The callback address has expired.');
    const { id: link, tenant, about } = row;
    // Only `makeCallback` and `makeClaimCallback` write such rows.
    const data = row.data as unknown as HoldCallback | ClaimCallback;
    const { person: by } = data;
    await requireRight(tx, tenant, by, 'claim' in data ? 'request' : 'decide');
    const hold = 'claim' in data ? undefined : await decide(deps, tx, row, data, result);
    if ('claim' in data) await settle(deps, tx, row, data, result);
    await tx.tokens.put({ ...row, end: 'used', endedAt: now });
    const change = await RunChange.of(tx, tenant, hold?.runId ?? about);
    const used = { ...(hold && { holdId: hold.id }), link, kind: result.kind };
    change?.record('link-used', used, by);
    await change?.save();
    return hold;
  });
}

function decide(
  { policy }: CallbackDeps,
  tx: Tx,
  { tenant, about: holdId }: TokenRow,
  { digest, person: by, roles }: HoldCallback,
  decision: CallbackResult,
): Promise<HoldRow> {
  return decideHoldIn(tx, policy, tenant, holdId, { decision, by, roles, digest });
}

async function settle(
  deps: CallbackDeps,
  tx: Tx,
  { tenant, about: requestId }: TokenRow,
  { claim: token, person: by }: ClaimCallback,
  result: CallbackResult,
): Promise<void> {
  const settlement =
    result.kind === 'result'
      ? ({ kind: 'value', value: result.value } as const)
      : ({ kind: 'error', message: result.message } as const);
  await settleRequestIn(tx, deps, tenant, requestId, { by, token, settlement });
}

/**
 * Requires that a service account still has a key with the scope. A callback grants no right that
 * its author has lost.
 */
async function requireRight(
  tx: Tx,
  tenant: string,
  { id }: Person,
  scope: KeyScope,
): Promise<void> {
  if (!isAccountId(id) || (await hasActiveKey(tx, tenant, id, scope))) return;
  throw callbackEnded(
    `The service account \`${id}\` has no active key with the scope \`${scope}\`.`,
  );
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

function callbackEnded(why: string): DeskError {
  return new DeskError('link-ended', `${why} Nothing was written. Create another one.`);
}
