import type { ToolExpired, ToolSuperseded } from './decisions.ts';

type Undecided = ToolExpired | ToolSuperseded;

/** The state of a call that was closed without a decision. */
interface UndecidedCall {
  readonly kind: 'approval' | 'external';
  /** True if it is unknown whether the call executed. */
  readonly isInDoubt: boolean;
}

const UNDECIDED_OUTCOMES = { expire: 'expired', supersede: 'superseded' } as const;

/** Returns the outcome of the result of a call that was closed without a decision. */
export function undecidedOutcome({ kind }: Undecided): 'expired' | 'superseded' {
  return UNDECIDED_OUTCOMES[kind];
}

const REASONS: Readonly<Record<Undecided['kind'], string>> = {
  expire: 'This tool call received no decision or result in time.',
  supersede: 'A newer message replaced this tool call before it received a decision or result.',
};

/** Returns the text for the model; it claims no more than is known about the call. */
export function undecidedText(
  { kind, message }: Undecided,
  call?: UndecidedCall | undefined,
): string {
  return message ?? `${REASONS[kind]} ${stateText(call)}`;
}

function stateText(call: UndecidedCall | undefined): string {
  if (call === undefined) return 'It was not denied.';
  const { kind, isInDoubt } = call;
  if (isInDoubt) return 'It is unknown whether it was executed, and it was not denied.';
  return kind === 'approval'
    ? 'It was not executed, and it was not denied.'
    : 'It has no result, and no failure was reported.';
}
