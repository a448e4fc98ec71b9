import type { Hold } from '../client/types.ts';

/** What has changed about a hold while somebody looked at it. */
export type HoldNotice =
  /** It is about something else now: what was on the screen cannot be answered any more. */
  | { readonly kind: 'replaced'; readonly before: Hold }
  /** Nobody can answer it any more. */
  | { readonly kind: 'settled' }
  /** Somebody has said something, or who may answer is otherwise; it is about the same thing. */
  | { readonly kind: 'told' };

/** What is different between a hold as it was shown and as it is now; `undefined` if nothing that matters. */
export function noticeOf(before: Hold, now: Hold): HoldNotice | undefined {
  if (now.state !== 'open') return before.state === 'open' ? { kind: 'settled' } : undefined;
  if (now.digest !== before.digest) return { kind: 'replaced', before };
  const isSame =
    before.votes.length === now.votes.length &&
    before.mine.mayAnswer === now.mine.mayAnswer &&
    before.mine.hasVoted === now.mine.hasVoted &&
    before.expiresAt === now.expiresAt;
  return isSame ? undefined : { kind: 'told' };
}
