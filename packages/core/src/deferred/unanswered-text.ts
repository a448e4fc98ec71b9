import type { ToolUnanswered, UnansweredReason } from './answers.ts';

/** What is known of a call that nobody has answered. */
interface UnansweredCall {
  /** Whether it waited for approval, or for its result. */
  readonly as: 'approval' | 'external';
  /** Whether nobody knows if it has run. */
  readonly isInDoubt: boolean;
}

const WHY: Readonly<Record<UnansweredReason, string>> = {
  expired: 'Nobody answered this call in time.',
  superseded: 'A newer message came before anybody had answered this call.',
};

/** What the model is told of a call that there is no answer to: no more than what is known of it. */
export function unansweredText(
  { reason, message }: ToolUnanswered,
  call?: UnansweredCall | undefined,
): string {
  return message ?? `${WHY[reason]} ${whatOfIt(call)}`;
}

function whatOfIt(call: UnansweredCall | undefined): string {
  if (call === undefined) return 'Nobody has denied it.';
  const { as, isInDoubt } = call;
  if (isInDoubt) return 'It is not known whether it has run, and nobody has denied it.';
  return as === 'approval'
    ? 'It was not run, and nobody has denied it.'
    : 'There is no result, and nobody has said that it failed.';
}
