import {
  type ExternalResult,
  type DeferredToolRequests,
  DeferredToolResults,
  type JsonObject,
  ModelRetry,
  resultsCodec,
  ToolApproved,
  type ToolCallPart,
  ToolDenied,
  ToolFailed,
} from 'holdpoint';
import { approver } from 'holdpoint/testing';
import * as fc from 'fast-check';
import { present } from '../../../support/present.ts';

/** A plan for deciding the pending calls of a parked run. */
export interface DecisionsPlan {
  /** Choice for each call, by index. */
  readonly choices: readonly number[];
  /** A way to make the results invalid as a whole. */
  readonly spoiled: 'partial' | 'forged' | 'duplicated' | 'swapped' | 'digest' | undefined;
  /** True if all decisions have digests; otherwise only those about calls in doubt. */
  readonly digests: boolean;
}

/** Plans of which one in ten is spoiled. */
export const decisionsPlan: fc.Arbitrary<DecisionsPlan> = fc.record({
  choices: fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 4 }),
  spoiled: fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 9 },
    {
      arbitrary: fc.constantFrom(
        ...(['partial', 'forged', 'duplicated', 'swapped', 'digest'] as const),
      ),
      weight: 1,
    },
  ),
  digests: fc.boolean(),
});

/** A decision as the checks compare it with executions. */
export type MadeDecision =
  | {
      readonly kind: 'approved';
      /** The approved value, as shown or as edited. */
      readonly value: unknown;
      /** The attempt in doubt that the approver was shown. */
      readonly shownAttempt: string | undefined;
    }
  | { readonly kind: 'denied' | 'answered'; readonly shownAttempt: string | undefined };

/** The decisions and results of one resume. */
export interface Given {
  readonly results: DeferredToolResults;
  /** By label, since ids repeat in other steps. */
  readonly decisions: ReadonlyMap<string, MadeDecision>;
  /** True if they are invalid; then no call may execute. */
  readonly isSpoiled: boolean;
  /** Id of the run that passed them first. */
  readonly by: number;
}

/** Builds decisions and results for the pending calls of a parked run, and sends them through JSON. */
export function decideAll(
  requests: DeferredToolRequests,
  { choices, spoiled, digests }: DecisionsPlan,
  by: number,
): Given {
  const decisions = new Map<string, MadeDecision>();
  const approvals: Record<string, ToolApproved | ToolDenied> = Object.create(null);
  const calls: Record<string, ExternalResult> = Object.create(null);
  const choose = (index: number) => present(choices[index % choices.length]);
  for (const [index, call] of requests.approvals.entries()) {
    const { toolCallId } = call;
    const { decision, given } = decide(requests, call, choose(index), by);
    decisions.set(labelOf(requests, call), given);
    if (decision instanceof ToolApproved || decision instanceof ToolDenied) {
      approvals[toolCallId] = decision;
    } else {
      calls[toolCallId] = decision;
    }
  }
  for (const [index, call] of requests.calls.entries()) {
    decisions.set(labelOf(requests, call), { kind: 'answered', shownAttempt: undefined });
    calls[call.toolCallId] = found(choose(index), by);
  }
  const results = new DeferredToolResults({
    approvals,
    calls,
    digests: digestsOf(requests, digests || spoiled === 'digest'),
  });
  const given = resultsCodec.parse(resultsCodec.stringify(spoil(results, requests, spoiled)));
  return { results: given, decisions, isSpoiled: spoiled !== undefined, by };
}

/** Approves, edits or denies a call. A call in doubt may also get a result. */
function decide(
  requests: DeferredToolRequests,
  call: ToolCallPart,
  choice: number,
  by: number,
): { decision: ToolApproved | ToolDenied | ExternalResult; given: MadeDecision } {
  const shown = requests.get(call).args as JsonObject;
  const shownAttempt = requests.get(call).details.inDoubt?.attempt;
  if (choice < 6) {
    return {
      decision: new ToolApproved(),
      given: { kind: 'approved', value: shown['value'], shownAttempt },
    };
  }
  if (choice < 8) {
    const value = (shown['value'] as number) + 10;
    const overrideArgs = { ...shown, value };
    return {
      decision: new ToolApproved({ overrideArgs }),
      given: { kind: 'approved', value, shownAttempt },
    };
  }
  if (choice < 9) {
    const overrideArgs = { ...shown, value: 'not a number' };
    const given = { kind: 'approved', value: undefined, shownAttempt } as const;
    return { decision: new ToolApproved({ overrideArgs }), given };
  }
  if (choice < 10 && shownAttempt !== undefined) {
    return { decision: found(choice, by), given: { kind: 'answered', shownAttempt } };
  }
  return { decision: new ToolDenied(denialOf(by)), given: { kind: 'denied', shownAttempt } };
}

/** Returns the denial message of a run. */
export function denialOf(by: number): string {
  return `${by} says no`;
}

/** Returns an external result. */
function found(choice: number, by: number): ExternalResult {
  const text = `${by} says so`;
  if (choice % 3 === 1) return new ModelRetry(text);
  return choice % 3 === 2 ? new ToolFailed(text) : text;
}

function labelOf(requests: DeferredToolRequests, call: ToolCallPart): string {
  return (requests.get(call).args as { call: string }).call;
}

/** Returns the digests of all calls, or only those that a decision requires. */
function digestsOf({ details }: DeferredToolRequests, all: boolean): Record<string, string> {
  const digests: Record<string, string> = Object.create(null);
  for (const [id, { digest, inDoubt }] of Object.entries(details)) {
    if (digest !== undefined && (all || inDoubt !== undefined)) digests[id] = digest;
  }
  return digests;
}

/** Makes the results invalid as a whole. */
function spoil(
  results: DeferredToolResults,
  requests: DeferredToolRequests,
  how: DecisionsPlan['spoiled'],
): DeferredToolResults {
  const given = () => results;
  const [digested] = Object.keys(results.digests);
  // A call in doubt also accepts a result, so swapped results may be valid.
  const isStrict = Object.values(requests.details).every(({ inDoubt }) => inDoubt === undefined);
  if (how === undefined) return results;
  if (how === 'partial') return approver.partial(given, 1)(requests);
  if (how === 'duplicated') return approver.duplicated(given)(requests);
  if (how === 'swapped' && isStrict) return approver.swapped(given)(requests);
  if (how !== 'digest' || digested === undefined) return approver.forged(given)(requests);
  results.digests[digested] = 'f'.repeat(64);
  return results;
}
