import {
  type ApprovalDecision,
  type ExternalResult,
  ToolApproved,
  ToolDenied,
} from '../deferred/answers.ts';
import type { DeferredToolRequests } from '../deferred/requests.ts';
import { type RecordByKey, byId, DeferredToolResults } from '../deferred/results.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { ModelRetry, ToolFailed } from '../tools/signals.ts';
import { seededRandom } from './seeded-random.ts';

/**
 * Answers requests without asking anybody. It can be called between two runs, and it is a handler too.
 *
 * What it gives is not checked: some approvers answer wrong on purpose.
 */
export type TestApprover = (requests: DeferredToolRequests) => DeferredToolResults;

/** How the calls of one tool are answered, of whichever kind they are. */
export type ApproverDecision =
  | ApprovalDecision
  | ExternalResult
  | ((call: ToolCallPart) => ApprovalDecision | ExternalResult);

/**
 * Approvers for tests, good ones and bad ones.
 *
 * The bad ones take a good one and spoil what it says: every agent must refuse such answers, and run
 * nothing.
 *
 * @example
 * ```ts
 * const approve = approver.byTool({ delete_file: true, send_mail: new ToolDenied('Not today.') });
 * const done = await agent.resume(parked, approve(parked.output));
 *
 * await expect(agent.resume(parked, approver.forged(approve)(parked.output))).rejects.toThrow(UserError);
 * ```
 */
export const approver: {
  /** Approves all that wait for approval; calls whose result comes from elsewhere stay open. */
  approveAll(): TestApprover;
  /** Denies all that wait for approval; calls whose result comes from elsewhere stay open. */
  denyAll(message?: string): TestApprover;
  /** Answers by the name of the tool; calls of other tools stay open. */
  byTool(answers: Readonly<Record<string, ApproverDecision>>): TestApprover;
  /** Answers every call, each in its kind, at random: yes or no, a result, a retry or a failure. */
  random(seed: number): TestApprover;
  /** Takes the first approver for the first requests, the next one for the next; the last one goes on. */
  inTurn(...approvers: readonly [TestApprover, ...TestApprover[]]): TestApprover;
  /** Leaves some answers out at random, one at least. */
  partial(base: TestApprover, seed: number): TestApprover;
  /** Also approves a call that nobody asked about. */
  forged(base: TestApprover, toolCallId?: string): TestApprover;
  /** Gives every answered call a second answer, in the other of the two maps. */
  duplicated(base: TestApprover): TestApprover;
  /** Answers approvals with results and results with approvals. */
  swapped(base: TestApprover): TestApprover;
} = Object.freeze({
  approveAll: () => (requests) => requests.buildResults({ approveAll: true }),
  denyAll: (message) =>
    answering(({ approval }) => (approval ? new ToolDenied(message) : undefined)),
  byTool: (answers) => answering(({ call }) => answerByName(answers, call)),
  random(seed) {
    const random = seededRandom(seed);
    return answering(({ approval }) =>
      approval ? pick(random, APPROVALS)() : pick(random, RESULTS)(),
    );
  },
  inTurn(...approvers) {
    const [first] = approvers;
    let turn = 0;
    return (requests) => (approvers[Math.min(turn++, approvers.length - 1)] ?? first)(requests);
  },
  partial(base, seed) {
    const random = seededRandom(seed);
    return (requests) => {
      const results = base(requests);
      const ids = [...Object.keys(results.approvals), ...Object.keys(results.calls)];
      const dropped = new Set(ids.filter(() => random() < 0.5));
      const one = ids[Math.floor(random() * ids.length)];
      if (dropped.size === 0 && one !== undefined) dropped.add(one);
      const keeps = (id: string) => !dropped.has(id);
      return changed(results, {
        approvals: chosen(results.approvals, keeps),
        calls: chosen(results.calls, keeps),
      });
    };
  },
  forged: (base, toolCallId) => (requests) => {
    const results = base(requests);
    const approvals = byId(results.approvals);
    approvals[toolCallId ?? unknownId(requests)] = new ToolApproved();
    return changed(results, { approvals });
  },
  duplicated: (base) => (requests) => {
    const results = base(requests);
    const { approvals, calls } = swap(results);
    return changed(results, {
      approvals: Object.assign(approvals, results.approvals),
      calls: Object.assign(calls, results.calls),
    });
  },
  swapped: (base) => (requests) => {
    const results = base(requests);
    return changed(results, swap(results));
  },
});

/** A call that waits, and whether it is for approval. */
interface Asked {
  readonly call: ToolCallPart;
  readonly approval: boolean;
}

function answering(
  answer: (asked: Asked) => ApprovalDecision | ExternalResult | undefined,
): TestApprover {
  return (requests) => {
    const results = new DeferredToolResults();
    for (const call of requests.approvals) {
      const given = answer({ call, approval: true });
      // Whether it is of the right kind is for the run to find out.
      if (given !== undefined) results.approvals[call.toolCallId] = given as ApprovalDecision;
    }
    for (const call of requests.calls) {
      const given = answer({ call, approval: false });
      if (given !== undefined) results.calls[call.toolCallId] = given as ExternalResult;
    }
    bind(results, requests);
    return results;
  };
}

function answerByName(
  answers: Readonly<Record<string, ApproverDecision>>,
  call: ToolCallPart,
): ApprovalDecision | ExternalResult | undefined {
  if (!Object.hasOwn(answers, call.toolName)) return undefined;
  const answer = answers[call.toolName];
  return typeof answer === 'function' ? answer(call) : answer;
}

const APPROVALS: readonly (() => ApprovalDecision)[] = [
  () => true,
  () => new ToolApproved(),
  () => false,
  () => new ToolDenied('Denied at random.'),
];

const RESULTS: readonly (() => ExternalResult)[] = [
  () => 'A result.',
  () => ({ result: [1, null] }),
  () => null,
  () => new ModelRetry('Again, at random.'),
  () => new ToolFailed('Failed at random.'),
];

function pick<T>(random: () => number, from: readonly T[]): T {
  // No list is empty, and what is random is below 1.
  return from[Math.floor(random() * from.length)]!;
}

function chosen<T>(
  entries: Readonly<RecordByKey<T>>,
  keeps: (id: string) => boolean,
): RecordByKey<T> {
  return byId(Object.fromEntries(Object.entries(entries).filter(([id]) => keeps(id))));
}

/** A result for each approval, and an approval for each result. */
function swap(results: DeferredToolResults): {
  approvals: RecordByKey<ApprovalDecision>;
  calls: RecordByKey<ExternalResult>;
} {
  const approvals = byId<ApprovalDecision>();
  const calls = byId<ExternalResult>();
  for (const id of Object.keys(results.calls)) approvals[id] = true;
  for (const id of Object.keys(results.approvals)) calls[id] = 'A result.';
  return { approvals, calls };
}

/** Binds answers to what was asked, as `buildResults` does. */
function bind(results: DeferredToolResults, requests: DeferredToolRequests): void {
  for (const [id, { digest }] of Object.entries(requests.details)) {
    if (digest !== undefined && results.answers(id)) results.digests[id] = digest;
  }
}

function changed(
  { approvals, calls, metadata, digests }: DeferredToolResults,
  change: { approvals?: RecordByKey<ApprovalDecision>; calls?: RecordByKey<ExternalResult> },
): DeferredToolResults {
  return new DeferredToolResults({ approvals, calls, metadata, digests, ...change });
}

/** An id that none of the requests has. */
function unknownId({ approvals, calls }: DeferredToolRequests): string {
  const known = new Set([...approvals, ...calls].map((call) => call.toolCallId));
  let id = 'forged';
  while (known.has(id)) id += '-again';
  return id;
}
