import { closesHold } from '../model/decision-row.ts';
import { finalDecision } from '../model/final-decision.ts';
import type { HoldWithDecisions } from '../desk/method-options.ts';
import type { Person } from '../model/person.ts';
import type { Secrets } from '../redaction/secrets.ts';
import { plainText } from './plain-text.ts';

/** The maximum length of a reason, a message or a response on a card. */
const MAX_TEXT = 500;

/** Returns how a hold was settled, in one line; `undefined` for an open hold. */
export function outcomeText(hold: HoldWithDecisions, secrets: Secrets): string | undefined {
  switch (hold.outcome) {
    case undefined:
      return undefined;
    case 'expired':
      return 'Expired without a decision.';
    case 'superseded':
      return 'Superseded by a newer message.';
    case 'cancelled':
      return 'Cancelled with its run.';
    case 'decided':
      return decidedText(hold, secrets);
  }
}

function decidedText(hold: HoldWithDecisions, secrets: Secrets): string {
  const { decisions, decidedBy, votes = [] } = hold;
  if (decidedBy !== undefined) {
    return decidedBy.kind === 'grant' ? 'Approved by a grant.' : 'Approved by the shadow policy.';
  }
  const final = finalDecision(hold, decisions);
  const last = decisions.at(-1);
  if (final === undefined || last === undefined) return 'Decided.';
  if (final.kind === 'deny') {
    return `Denied by ${nameOf(last.by)}.${reasonText(final.reason, secrets)}`;
  }
  if (closesHold(hold, final) && final.kind === 'retry') {
    return `Changes requested by ${nameOf(last.by)}.${quoted('Message', final.message, secrets)}`;
  }
  const voters = votes.length === 0 ? [last.by] : votes;
  const by = `by ${voters.map(nameOf).join(' and ')}`;
  if (final.kind !== 'approve') return `${RECORDED[final.kind]} ${by}.`;
  const edited = final.args === undefined ? '' : ' with edited arguments';
  return `Approved${edited} ${by}.${reasonText(final.reason, secrets)}`;
}

const RECORDED = {
  input: 'Input given',
  result: 'Result recorded',
  retry: 'Another attempt requested',
  fail: 'Recorded as failed',
} as const;

/** Quotes the reason, so that it cannot resemble another sentence of the card. */
function reasonText(reason: string | undefined, secrets: Secrets): string {
  return quoted('Reason', reason, secrets);
}

function quoted(label: string, given: string | undefined, secrets: Secrets): string {
  return given === undefined || given.trim() === ''
    ? ''
    : ` ${label}: ${quotedText(given, secrets)}`;
}

/** Returns an untrusted text in quotes, cut if it is long. */
export function quotedText(given: string, secrets: Secrets): string {
  const text = secrets.takeOutOfText(given);
  const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).trimEnd()}…` : text;
  return plainText(JSON.stringify(shown));
}

/** Returns the name of a person for a card. */
export function nameOf({ id, name }: Person): string {
  return plainText(name === undefined ? id : `${name} (${id})`).replaceAll('\n', ' ');
}
