import type { JsonObject, JsonValue } from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';
import { GRANT_SCOPES, type GrantScope, type HoldApprovers } from '../model/approver-rule.ts';
import type { GrantMatch, GrantRow } from '../model/grant-row.ts';
import { hashOf } from '../model/hash.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { GrantRequest } from '../model/grant-request.ts';
import { approvedArgs } from '../model/final-decision.ts';
import { requestersOf } from './effective-call.ts';
import { approverOf } from './delegated.ts';
import { isMet, whyNotEligible } from './eligibility.ts';
import { requirementsOf, widestGrant } from './requirements.ts';
import { isSamePerson } from './same-person.ts';

/**
 * Returns whether a grant can decide a hold. An approver must review a call that is in doubt, or
 * that was denied or changed before.
 */
export function isGrantable(hold: HoldRow): boolean {
  const { kind, inDoubt, drifted, deniedBefore, toolHash } = hold;
  return kind === 'approval' && !inDoubt && !drifted && !deniedBefore && toolHash !== undefined;
}

/**
 * Returns whether a grant decides a hold. The grant must be live, and must cover this tool, these
 * validated arguments and this scope. Its approvers must be able to approve this hold now, by the
 * requirements of the hold.
 */
export function grantFits(grant: GrantRow, hold: HoldRow, now: number): boolean {
  return (
    isGrantable(hold) &&
    isLive(grant, now) &&
    grant.toolHash === hold.toolHash &&
    isInScope(grant, hold) &&
    fitsArgs(grant.match, approvedArgs(hold)) &&
    couldApprove(grant, hold)
  );
}

function isLive({ revokedAt, expiresAt, uses, used }: GrantRow, now: number): boolean {
  if (revokedAt !== undefined) return false;
  return (expiresAt === undefined || expiresAt > now) && (uses === undefined || used < uses);
}

function isInScope(grant: GrantRow, hold: HoldRow): boolean {
  if (grant.scope === 'tenant') return true;
  if (grant.agent !== hold.agent || !isSamePath(grant, hold)) return false;
  if (grant.scope === 'agent') return true;
  if (grant.scope === 'conversation') return grant.conversationId === hold.conversationId;
  const { requester } = grant;
  if (requester === undefined) return false;
  return requestersOf(hold).every((one) => one !== null && isSamePerson(requester, one));
}

function isSamePath({ path }: GrantRow, hold: HoldRow): boolean {
  return (
    path.length === hold.path.length &&
    path.every((toolName, index) => toolName === hold.path[index]?.toolName)
  );
}

/** Returns whether every approver of a grant could approve a hold, and its requirements allow such a grant. */
export function couldApprove({ by, scope }: GrantRow, hold: HoldRow): boolean {
  const areAble = by.every((vote) => whyNotEligible(hold, approverOf(vote)) === undefined);
  return areAble && isWithin(scope, widestGrant(requirementsOf(hold))) && isMet(hold, by);
}

/** Returns whether a grant covers these arguments. */
function fitsArgs(match: GrantMatch, args: JsonValue): boolean {
  if (match.kind === 'any') return true;
  return match.kind === 'same' ? argsHash(args) === match.hash : contains(args, match.args);
}

/** Returns whether a value contains all members of another one. Lists must be equal. */
export function contains(value: JsonValue, wanted: JsonValue): boolean {
  if (!isObject(wanted)) return canonicalJson(value) === canonicalJson(wanted);
  if (!isObject(value)) return false;
  return Object.entries(wanted).every(
    ([name, one]) => Object.hasOwn(value, name) && contains(value[name] as JsonValue, one),
  );
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the arguments that a requested grant is for. */
export function matchOf({ match }: GrantRequest, args: JsonValue): GrantMatch {
  if (match === 'tool') return { kind: 'any' };
  if (match === 'same-arguments') return { kind: 'same', hash: argsHash(args) };
  return { kind: 'contains', args: match.args };
}

function argsHash(args: JsonValue): string {
  return hashOf('holdpoint/arguments/1', args);
}

/** Returns why the approval of a hold cannot create this grant; `undefined` if it can. */
export function whyNotGrant(hold: HoldRow, grantRequest: GrantRequest): string | undefined {
  if (!isGrantable(hold)) {
    return 'No grant can be created for an external call, a question, a call in doubt, a call with inputs for questions, a call that was denied before, or a call whose tool has changed or is unknown.';
  }
  const args = approvedArgs(hold);
  const widest = widestGrant(requirementsOf(hold));
  const scope = grantRequest.scope ?? 'conversation';
  if (!isWithin(scope, widest)) {
    return `The policy does not allow a grant with the scope '${scope}'. It allows at most: ${widest}.`;
  }
  if (scope === 'requester' && hold.requester === undefined) {
    return 'The requester is unknown, so a grant cannot be for this requester.';
  }
  return fitsArgs(matchOf(grantRequest, args), args)
    ? undefined
    : 'The arguments of this call do not have these members.';
}

/** Returns whether requirements that permit grants of a scope permit one of another scope. */
export function isWithin(scope: GrantScope, widest: HoldApprovers['grants']): boolean {
  return widest !== 'never' && GRANT_SCOPES.indexOf(scope) <= GRANT_SCOPES.indexOf(widest);
}
