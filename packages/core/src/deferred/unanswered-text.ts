import type { ToolExpired, ToolSuperseded } from './answers.ts';

type Undecided = ToolExpired | ToolSuperseded;

/** The state of a call that was closed without a decision. */
interface UndecidedCall {
  /** Whether it waited for approval, or for its result. */
  readonly kind: 'approval' | 'external';
  /** Whether nobody knows if it has run. */
  readonly isInDoubt: boolean;
}

const OUTCOMES = { expire: 'expired', supersede: 'superseded' } as const;

/** Returns the outcome of the result of a call that was closed without a decision. */
export function undecidedOutcome({ kind }: Undecided): 'expired' | 'superseded' {
  return OUTCOMES[kind];
}

const WHY: Readonly<Record<Undecided['kind'], string>> = {
  expire: 'Nobody answered this call in time.',
  supersede: 'A newer message came before anybody had answered this call.',
};

/** Returns the text for the model; it claims no more than is known about the call. */
export function undecidedText(
  { kind, message }: Undecided,
  call?: UndecidedCall | undefined,
): string {
  return message ?? `${WHY[kind]} ${whatOfIt(call)}`;
}

function whatOfIt(call: UndecidedCall | undefined): string {
  if (call === undefined) return 'Nobody has denied it.';
  const { kind, isInDoubt } = call;
  if (isInDoubt) return 'It is not known whether it has run, and nobody has denied it.';
  return kind === 'approval'
    ? 'It was not run, and nobody has denied it.'
    : 'There is no result, and nobody has said that it failed.';
}
