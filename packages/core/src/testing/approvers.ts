import {
  type ApprovalDecision,
  type ExternalResult,
  ToolApproved,
  ToolDenied,
} from '../deferred/decisions.ts';
import type { DeferredToolRequests } from '../deferred/requests.ts';
import { type RecordByKey, byId, DeferredToolResults } from '../deferred/results.ts';
import { invariant } from '../internal/invariant.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { ModelRetry, ToolFailed } from '../tools/signals.ts';
import { seededRandom } from './fake-clock.ts';

/**
 * A function that decides requests automatically. It can be called between two runs or used as a handler.
 *
 * Its results are not validated: some approvers return invalid ones on purpose.
 */
export type TestApprover = (requests: DeferredToolRequests) => DeferredToolResults;

/** The decision or result for the calls of one tool, or a function that returns one. */
export type ApproverDecision =
  | ApprovalDecision
  | ExternalResult
  | ((call: ToolCallPart) => ApprovalDecision | ExternalResult);

/**
 * Approvers for tests.
 *
 * Some wrap another approver and make its results invalid. Every agent must reject such results, and execute
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
  /** Approves every call that requires approval. External calls stay pending. */
  approveAll(): TestApprover;
  /** Denies every call that requires approval. External calls stay pending. */
  denyAll(message?: string): TestApprover;
  /** Decides by tool name. Calls of other tools stay pending. */
  byTool(decisions: Readonly<Record<string, ApproverDecision>>): TestApprover;
  /** Decides every call at random: an approval or denial, or a result, retry or failure. */
  random(seed: number): TestApprover;
  /** Uses the first approver for the first requests, the next one for the next, and the last one from then on. */
  inTurn(...approvers: readonly [TestApprover, ...TestApprover[]]): TestApprover;
  /** Omits some results at random, at least one. */
  partial(base: TestApprover, seed: number): TestApprover;
  /** Also approves a call that does not exist. */
  forged(base: TestApprover, toolCallId?: string): TestApprover;
  /** Adds a second result for every call, in the other of the two records. */
  duplicated(base: TestApprover): TestApprover;
  /** Returns results for approvals, and approvals for external calls. */
  swapped(base: TestApprover): TestApprover;
} = Object.freeze({
  approveAll: () => (requests) => requests.buildResults({ approveAll: true }),
  denyAll: (message) =>
    approverFrom(({ isApproval }) => (isApproval ? new ToolDenied(message) : undefined)),
  byTool: (decisions) => approverFrom(({ call }) => decisionFor(decisions, call)),
  random(seed) {
    const random = seededRandom(seed);
    return approverFrom(({ isApproval }) =>
      isApproval ? pickAtRandom(random, APPROVALS)() : pickAtRandom(random, RESULTS)(),
    );
  },
  inTurn(...approvers) {
    const [first] = approvers;
    let index = 0;
    return (requests) => (approvers[Math.min(index++, approvers.length - 1)] ?? first)(requests);
  },
  partial(base, seed) {
    const random = seededRandom(seed);
    return (requests) => {
      const results = base(requests);
      const ids = [...Object.keys(results.approvals), ...Object.keys(results.calls)];
      const dropped = new Set(ids.filter(() => random() < 0.5));
      const one = ids[Math.floor(random() * ids.length)];
      if (dropped.size === 0 && one !== undefined) dropped.add(one);
      const isKept = (id: string) => !dropped.has(id);
      return withChange(results, {
        approvals: filterById(results.approvals, isKept),
        calls: filterById(results.calls, isKept),
      });
    };
  },
  forged: (base, toolCallId) => (requests) => {
    const results = base(requests);
    const approvals = byId(results.approvals);
    approvals[toolCallId ?? unknownId(requests)] = new ToolApproved();
    return withChange(results, { approvals });
  },
  duplicated: (base) => (requests) => {
    const results = base(requests);
    const { approvals, calls } = swapKinds(results);
    return withChange(results, {
      approvals: Object.assign(approvals, results.approvals),
      calls: Object.assign(calls, results.calls),
    });
  },
  swapped: (base) => (requests) => {
    const results = base(requests);
    return withChange(results, swapKinds(results));
  },
});

/** A pending call. */
interface CallToDecide {
  readonly call: ToolCallPart;
  /** True for a call that requires approval, false for an external one. */
  readonly isApproval: boolean;
}

function approverFrom(
  decide: (pending: CallToDecide) => ApprovalDecision | ExternalResult | undefined,
): TestApprover {
  return (requests) => {
    const results = new DeferredToolResults();
    for (const call of requests.approvals) {
      const decision = decide({ call, isApproval: true });
      // Not validated: the run has to reject a decision of the wrong kind.
      if (decision !== undefined) results.approvals[call.toolCallId] = decision as ApprovalDecision;
    }
    for (const call of requests.calls) {
      const result = decide({ call, isApproval: false });
      if (result !== undefined) results.calls[call.toolCallId] = result as ExternalResult; // not validated
    }
    addDigests(results, requests);
    return results;
  };
}

function decisionFor(
  decisions: Readonly<Record<string, ApproverDecision>>,
  call: ToolCallPart,
): ApprovalDecision | ExternalResult | undefined {
  if (!Object.hasOwn(decisions, call.toolName)) return undefined;
  const decision = decisions[call.toolName];
  return typeof decision === 'function' ? decision(call) : decision;
}

const APPROVALS: readonly (() => ApprovalDecision)[] = [
  () => true,
  () => new ToolApproved(),
  () => false,
  () => new ToolDenied('Denied at random.'),
  () => new ModelRetry('Changes requested at random.'),
];

const RESULTS: readonly (() => ExternalResult)[] = [
  () => 'A result.',
  () => ({ result: [1, null] }),
  () => null,
  () => new ModelRetry('Again, at random.'),
  () => new ToolFailed('Failed at random.'),
];

function pickAtRandom<T extends object>(random: () => number, list: readonly T[]): T {
  const item = list[Math.floor(random() * list.length)];
  return invariant(item, 'random numbers are below 1');
}

function filterById<T>(
  entries: Readonly<RecordByKey<T>>,
  isKept: (id: string) => boolean,
): RecordByKey<T> {
  return byId(Object.fromEntries(Object.entries(entries).filter(([id]) => isKept(id))));
}

/** Returns a result for each approval, and an approval for each result. */
function swapKinds(results: DeferredToolResults): {
  approvals: RecordByKey<ApprovalDecision>;
  calls: RecordByKey<ExternalResult>;
} {
  const approvals = byId<ApprovalDecision>();
  const calls = byId<ExternalResult>();
  for (const id of Object.keys(results.calls)) approvals[id] = true;
  for (const id of Object.keys(results.approvals)) calls[id] = 'A result.';
  return { approvals, calls };
}

/** Adds the digests of the requests, like `buildResults`. */
function addDigests(results: DeferredToolResults, requests: DeferredToolRequests): void {
  for (const [id, { digest }] of Object.entries(requests.details)) {
    if (digest !== undefined && results.has(id)) results.digests[id] = digest;
  }
}

function withChange(
  { approvals, calls, metadata, digests }: DeferredToolResults,
  change: { approvals?: RecordByKey<ApprovalDecision>; calls?: RecordByKey<ExternalResult> },
): DeferredToolResults {
  return new DeferredToolResults({ approvals, calls, metadata, digests, ...change });
}

/** Returns an id that none of the requests has. */
function unknownId({ approvals, calls }: DeferredToolRequests): string {
  const known = new Set([...approvals, ...calls].map((call) => call.toolCallId));
  let id = 'forged';
  while (known.has(id)) id += '-again';
  return id;
}
