import type { HoldView, RunSummary } from '@holdpoint/desk/client';
import type { Line } from '../terminal/line.ts';
import { showEverything } from '../terminal/show-call.ts';
import { showFields } from '../terminal/show-value.ts';
import { duration } from './duration.ts';
import { shortId } from './find-id.ts';
import { holdAsCall } from './hold-as-call.ts';
import { personText } from './person-text.ts';
import { approverFields, showProposal } from './show-proposal.ts';

/** What an answer to a hold is about, whole: the call with its preview and arguments, who wants it, the digest. */
export function showHold(hold: HoldView, run: RunSummary, now: number): readonly Line[] {
  return [
    ...showEverything(holdAsCall(hold)),
    ...(hold.redacted
      ? [{ text: 'Something of this call is not shown to you.', style: 'yellow' } as const]
      : []),
    ...showProposal(hold),
    { text: '' },
    ...showFields({
      run: `${shortId(hold.runId)} of ${hold.agent}${requesterOf(run)}`,
      since: `${duration(now - hold.createdAt)} ago${expiryOf(hold, now)}`,
      ...approverFields(hold),
      ...(hold.inDoubt?.idempotencyKey && { 'idempotency key': hold.inDoubt.idempotencyKey }),
      digest: hold.digest,
    }),
  ];
}

function requesterOf({ requester }: RunSummary): string {
  return requester === undefined ? '' : `, requested by ${personText(requester)}`;
}

function expiryOf({ state, expiresAt }: HoldView, now: number): string {
  if (state !== 'open' || expiresAt === undefined) return '';
  return `, expires in ${duration(expiresAt - now)}`;
}
