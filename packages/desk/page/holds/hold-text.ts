import type { Grant, GrantRequest, Hold, Vote } from '../client/types.ts';
import { formatDuration } from '../time/durations.ts';
import { lineOf } from '../values/json-text.ts';

/** Returns the call on one line: the question, the preview, or the arguments that the tool will receive, as edited. */
export function summaryOf({ question, edit, preview, args, validatedArgs }: Hold): string {
  if (question !== undefined) return lineOf(question.message);
  const call = edit ?? { preview, args, validatedArgs };
  return lineOf(call.preview ?? call.validatedArgs ?? call.args);
}

/** The maximum length of a line about a call that is approved together with others. */
export const MAX_LINE = 300;

/** A call that is approved together with others, as the confirmation shows it. */
export interface CallLines {
  /** The preview, if there is one, and the arguments that the tool will receive. */
  readonly lines: readonly string[];
  /** False if a line has to be cut. */
  readonly isWhole: boolean;
}

/** Returns everything that the approval of an original call permits. */
export function linesOf({ preview, args, validatedArgs }: Hold): CallLines {
  const values = preview === undefined ? [] : [preview];
  const lines = [...values, validatedArgs ?? args].map((value) => lineOf(value, MAX_LINE));
  // A line that was cut is longer than the maximum.
  return { lines, isWhole: lines.every(({ length }) => length <= MAX_LINE) };
}

const DECISIONS: Readonly<Record<Vote['kind'], string>> = {
  approve: 'approved this call',
  deny: 'denied this call',
  input: 'responded to the question',
  result: 'recorded the result',
  retry: 'requested changes',
  fail: 'recorded a failure',
};

/** Returns the action of an approver, to follow their name. */
export function decisionText({
  kind,
  isEdit = false,
}: {
  readonly kind: string;
  readonly isEdit?: boolean | undefined;
}): string {
  if (isEdit) return 'edited the arguments and approved this call';
  return Object.hasOwn(DECISIONS, kind) ? DECISIONS[kind as Vote['kind']] : 'decided this hold';
}

/** Returns how a hold ended without a decision of an approver. */
export function outcomeText({ outcome, decidedBy }: Hold): string {
  if (decidedBy?.kind === 'grant') return 'A grant approved this call in advance.';
  if (decidedBy?.kind === 'shadow') {
    return 'The policy is in shadow mode: it recorded this call and did not hold it.';
  }
  switch (outcome) {
    case 'expired':
      return 'This hold expired without a decision. The call was not executed.';
    case 'superseded':
      return 'A newer message superseded this hold. The call was not executed.';
    case 'cancelled':
      return 'The run was cancelled. The call was not executed.';
    default:
      return 'This hold is settled.';
  }
}

/** The numbers of required and given approvals of a hold. */
export interface Approvals {
  readonly required: number;
  readonly given: number;
}

export function approvalsOf({ approvers, votes, kind: holdKind }: Hold): Approvals {
  const closes = ({ kind }: Vote) =>
    kind === 'deny' || (kind === 'retry' && holdKind === 'approval');
  return {
    required: approvers?.count ?? 1,
    given: votes.filter((vote) => vote.counts && !closes(vote)).length,
  };
}

/** A fact that an approver must know before the decision. */
export interface Warning {
  readonly label: string;
  readonly text: string;
}

export function warningsOf({
  inDoubt,
  drifted,
  deniedBefore,
  redacted,
}: Pick<Hold, 'inDoubt' | 'drifted' | 'deniedBefore' | 'redacted'>): readonly Warning[] {
  const warnings: Warning[] = [];
  if (inDoubt !== undefined) {
    warnings.push({
      label: 'In doubt',
      text: 'This may already have happened. If it is executed again, it may happen twice. Check the system that the tool acts on first.',
    });
  }
  if (drifted === true) {
    warnings.push({
      label: 'Requested again',
      text: 'An earlier approval does not permit this call as it is now. It needs a new approval.',
    });
  }
  if (deniedBefore === true) {
    warnings.push({
      label: 'Denied before',
      text: 'An approver denied the same call before in this conversation.',
    });
  }
  if (redacted) {
    warnings.push({
      label: 'Redacted',
      text: 'Parts of this call are hidden from you and shown as [redacted]. The tool receives the full values.',
    });
  }
  return warnings;
}

const SCOPES: Readonly<Record<Grant['scope'], string>> = {
  conversation: 'in the same conversation',
  requester: 'for the same requester',
  agent: 'by the same agent',
  tenant: 'by any agent',
};

export function scopeText(scope: Grant['scope']): string {
  return SCOPES[scope];
}

/** Returns the calls that a grant would approve, as the end of a sentence. */
export function grantText({
  match,
  scope = 'conversation',
  expiresAfter,
  uses,
}: GrantRequest): string {
  const calls =
    match === 'tool'
      ? 'all calls of this tool'
      : match === 'same-arguments'
        ? 'identical calls'
        : 'calls with the arguments below';
  const until =
    expiresAfter === undefined ? 'until it is revoked' : `for ${formatDuration(expiresAfter)}`;
  const limit = uses === undefined ? '' : `, at most ${uses} times`;
  return `${calls} ${scopeText(scope)}, ${until}${limit}`;
}
