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

/** How somebody answers the calls of a parked run. */
export interface AnswersPlan {
  /** How each of the calls is answered. */
  readonly choices: readonly number[];
  /** How the answers as a whole are spoiled. */
  readonly spoiled: 'partial' | 'forged' | 'duplicated' | 'swapped' | 'digest' | undefined;
  /** Whether all answers say with their digests what they are about, and not only those about calls in doubt. */
  readonly digests: boolean;
}

/** Answers of which one in ten is spoiled. */
export const answersPlan: fc.Arbitrary<AnswersPlan> = fc.record({
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

/** What somebody has said about a call. */
export type GivenAnswer =
  | {
      readonly kind: 'approved';
      /** What it may run with: as it was shown, or as it was edited. */
      readonly value: unknown;
      /** The attempt in doubt that whoever approved it was told of. */
      readonly told: string | undefined;
    }
  | { readonly kind: 'denied' | 'answered'; readonly told: string | undefined };

/** Answers, and what there is to know about them. */
export interface Given {
  readonly results: DeferredToolResults;
  /** By the label of the call: ids come again in other steps. */
  readonly answers: ReadonlyMap<string, GivenAnswer>;
  /** Whether they are spoiled: then nothing may run. */
  readonly isSpoiled: boolean;
  /** Whose answers they are. */
  readonly by: number;
}

/** Answers the requests of a parked run; the answers have made their way as text. */
export function giveAnswers(
  requests: DeferredToolRequests,
  { choices, spoiled, digests }: AnswersPlan,
  by: number,
): Given {
  const answers = new Map<string, GivenAnswer>();
  const approvals: Record<string, ToolApproved | ToolDenied> = Object.create(null);
  const calls: Record<string, ExternalResult> = Object.create(null);
  const choose = (index: number) => present(choices[index % choices.length]);
  for (const [index, call] of requests.approvals.entries()) {
    const { toolCallId } = call;
    const { answer, given } = decide(requests, call, choose(index), by);
    answers.set(labelOf(requests, call), given);
    if (answer instanceof ToolApproved || answer instanceof ToolDenied) {
      approvals[toolCallId] = answer;
    } else {
      calls[toolCallId] = answer;
    }
  }
  for (const [index, call] of requests.calls.entries()) {
    answers.set(labelOf(requests, call), { kind: 'answered', told: undefined });
    calls[call.toolCallId] = found(choose(index), by);
  }
  const results = new DeferredToolResults({
    approvals,
    calls,
    digests: digestsOf(requests, digests || spoiled === 'digest'),
  });
  const given = resultsCodec.parse(resultsCodec.stringify(spoil(results, requests, spoiled)));
  return { results: given, answers, isSpoiled: spoiled !== undefined, by };
}

/** Yes, yes but, no; and where nobody knows whether it has run, somebody may have found out. */
function decide(
  requests: DeferredToolRequests,
  call: ToolCallPart,
  choice: number,
  by: number,
): { answer: ToolApproved | ToolDenied | ExternalResult; given: GivenAnswer } {
  const shown = requests.get(call).args as JsonObject;
  const told = requests.get(call).details.inDoubt?.attempt;
  if (choice < 6) {
    return { answer: new ToolApproved(), given: { kind: 'approved', value: shown['value'], told } };
  }
  if (choice < 8) {
    const value = (shown['value'] as number) + 10;
    const overrideArgs = { ...shown, value };
    return {
      answer: new ToolApproved({ overrideArgs }),
      given: { kind: 'approved', value, told },
    };
  }
  if (choice < 9) {
    const overrideArgs = { ...shown, value: 'not a number' };
    const given = { kind: 'approved', value: undefined, told } as const;
    return { answer: new ToolApproved({ overrideArgs }), given };
  }
  if (choice < 10 && told !== undefined) {
    return { answer: found(choice, by), given: { kind: 'answered', told } };
  }
  return { answer: new ToolDenied(denialOf(by)), given: { kind: 'denied', told } };
}

/** What somebody says who denies a call. */
export function denialOf(by: number): string {
  return `${by} says no`;
}

/** A result that comes from elsewhere. */
function found(choice: number, by: number): ExternalResult {
  const text = `${by} says so`;
  if (choice % 3 === 1) return new ModelRetry(text);
  return choice % 3 === 2 ? new ToolFailed(text) : text;
}

function labelOf(requests: DeferredToolRequests, call: ToolCallPart): string {
  return (requests.get(call).args as { call: string }).call;
}

/** The digests of all calls, or of those that nobody can answer without. */
function digestsOf({ details }: DeferredToolRequests, all: boolean): Record<string, string> {
  const digests: Record<string, string> = Object.create(null);
  for (const [id, { digest, inDoubt }] of Object.entries(details)) {
    if (digest !== undefined && (all || inDoubt !== undefined)) digests[id] = digest;
  }
  return digests;
}

/** Makes answers wrong as a whole. */
function spoil(
  results: DeferredToolResults,
  requests: DeferredToolRequests,
  how: AnswersPlan['spoiled'],
): DeferredToolResults {
  const given = () => results;
  const [digested] = Object.keys(results.digests);
  // Where nobody knows whether a call has run, its result is as good an answer as an approval.
  const isStrict = Object.values(requests.details).every(({ inDoubt }) => inDoubt === undefined);
  if (how === undefined) return results;
  if (how === 'partial') return approver.partial(given, 1)(requests);
  if (how === 'duplicated') return approver.duplicated(given)(requests);
  if (how === 'swapped' && isStrict) return approver.swapped(given)(requests);
  if (how !== 'digest' || digested === undefined) return approver.forged(given)(requests);
  results.digests[digested] = 'f'.repeat(64);
  return results;
}
