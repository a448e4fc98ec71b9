import { isPromise } from '../errors/show-value.ts';
import { InvalidResultsError, MissingResultsError, UserError } from '../errors/user-errors.ts';
import { invariant } from '../internal/invariant.ts';
import { type Question, callApprovalFormat } from '../messages/call-details.ts';
import { JsonPath } from '../messages/codec/index.ts';
import { isPlainObject } from '../internal/json.ts';
import {
  type ApprovalDecision,
  isUndecided,
  ToolApproved,
  ToolDenied,
  ToolInput,
} from './decisions.ts';
import { ModelRetry } from '../tools/signals.ts';
import { schemaProblems } from '../models/schema-problems.ts';
import type { DeferredToolRequests } from './requests.ts';
import { DeferredToolResults } from './results.ts';

/** The input that a pending call accepts: a decision, a result, or either if it is not known which one it needs. */
export type AcceptedKind = 'approval' | 'external' | 'either' | Question;

/** Returns the kinds of decisions and results that each request accepts, by tool call id. */
export function acceptedKinds(requests: DeferredToolRequests): ReadonlyMap<string, AcceptedKind> {
  const kinds = new Map<string, AcceptedKind>();
  for (const { toolCallId } of requests.approvals) {
    // A call in doubt also accepts a result, in case it did execute.
    kinds.set(toolCallId, requests.get(toolCallId).details.inDoubt ? 'either' : 'approval');
  }
  for (const { toolCallId } of requests.questions) {
    const { question } = requests.get(toolCallId);
    kinds.set(toolCallId, invariant(question, 'a pending question has a schema'));
  }
  for (const { toolCallId } of requests.calls) kinds.set(toolCallId, 'external');
  return kinds;
}

/** The faults of decisions and results. If there are several, the first in this order is reported. */
const FAULTS = {
  duplicate:
    'These calls have an entry in `approvals` and another one in `calls`. Pass one entry for each call.',
  notPending:
    'These calls are not pending here. Pass only decisions and results for the calls of the requests.',
  decisionForExternal:
    'External calls cannot be approved or denied. Pass their results in `calls`.',
  resultForApproval:
    'Calls that need approval do not accept a result. Pass a decision in `approvals`.',
  decisionAsResult:
    'The results of external calls in `calls` are `ToolApproved` or `ToolDenied`. Pass the values that the calls return.',
  invalidDecision:
    'A decision in `approvals` must be `true`, `false`, `ToolApproved` (with `overrideArgs` and `approval` as objects), ' +
    '`ToolDenied` or `ModelRetry` (with a text), `ToolExpired` or `ToolSuperseded` (with a text or none).',
  approvalForQuestion:
    'These calls have a question, which needs an input. Pass `ToolInput` with the value, or `ToolDenied`.',
  inputForApproval:
    'These calls have no question, so they accept no `ToolInput`. Pass `true`, `false`, `ToolApproved`, `ToolDenied` or `ModelRetry`.',
  invalidInput: 'The input does not fit the schema of the question.',
  invalidMessage:
    'The message of `ToolExpired` or `ToolSuperseded` in `calls` must be a text. Pass a string, or no message.',
} as const;

type Fault = keyof typeof FAULTS;

/**
 * Validates decisions and results completely, before any of them has an effect.
 *
 * Each must be for a pending call, and of a kind that the call accepts. This is the only
 * implementation of the check. `kinds` has the accepted kinds of the pending calls, by tool call
 * id.
 */
export function validateResults(
  results: DeferredToolResults,
  kinds: ReadonlyMap<string, AcceptedKind>,
): void {
  requireResults(results);
  const { approvals, calls } = results;
  const faults: FaultyEntry[] = [];
  const inputs: InvalidInput[] = [];
  for (const id of Object.keys(approvals)) {
    const decision = approvals[id];
    const kind = kinds.get(id);
    const fault = Object.hasOwn(calls, id) ? 'duplicate' : faultOfDecision(decision, kind);
    if (fault !== undefined) faults.push({ id, fault });
    else if (decision instanceof ToolInput) inputs.push(...inputProblems(id, decision, kind));
  }
  for (const [id, result] of Object.entries(calls)) {
    const fault = faultOfResult(result, kinds.get(id));
    if (fault !== undefined) faults.push({ id, fault });
  }
  if (faults.length > 0) throw firstFault(faults);
  if (inputs.length === 0) return;
  const ids = [...new Set(inputs.map(({ id }) => id))];
  const problems = inputs.map(({ id, problem }) => `\`${id}\`: ${problem}`).join(' ');
  throw new InvalidResultsError(ids, `${FAULTS.invalidInput} ${problems}`);
}

/** An input that does not fit the schema of its question. */
interface InvalidInput {
  readonly id: string;
  readonly problem: string;
}

/** Returns the reasons why an input does not fit the schema of its question. */
function inputProblems(
  id: string,
  { value }: ToolInput,
  kind: AcceptedKind | undefined,
): InvalidInput[] {
  if (typeof kind !== 'object') return [];
  return schemaProblems(kind.schema, value).map((problem) => ({ id, problem }));
}

/** An entry that is not valid. */
interface FaultyEntry {
  readonly id: string;
  readonly fault: Fault;
}

function firstFault(faulty: readonly FaultyEntry[]): InvalidResultsError {
  // The keys of a literal have the type of its members.
  const order = Object.keys(FAULTS) as Fault[];
  const found = new Set(faulty.map(({ fault }) => fault));
  const first = invariant(
    order.find((fault) => found.has(fault)),
    'every fault is known',
  );
  const ids = faulty.flatMap(({ id, fault }) => (fault === first ? [id] : []));
  return new InvalidResultsError(ids, FAULTS[first]);
}

function faultOfDecision(decision: unknown, kind: AcceptedKind | undefined): Fault | undefined {
  if (kind === undefined) return 'notPending';
  if (kind === 'external') return 'decisionForExternal';
  if (typeof kind === 'object') {
    const isForApproval = decision instanceof ToolApproved || decision instanceof ModelRetry;
    if (decision === true || isForApproval) return 'approvalForQuestion';
    if (decision instanceof ToolInput) return undefined;
  } else if (decision instanceof ToolInput) {
    return 'inputForApproval';
  }
  return isValidDecision(decision) ? undefined : 'invalidDecision';
}

function faultOfResult(result: unknown, kind: AcceptedKind | undefined): Fault | undefined {
  if (kind === undefined) return 'notPending';
  if (kind === 'approval' || typeof kind === 'object') return 'resultForApproval';
  if (result instanceof ToolApproved || result instanceof ToolDenied || result instanceof ToolInput)
    return 'decisionAsResult';
  return isUndecided(result) && !isOptionalText(result.message) ? 'invalidMessage' : undefined;
}

/** Throws if a value is not a `DeferredToolResults`. */
export function requireResults(results: unknown): void {
  if (results instanceof DeferredToolResults) return;
  if (isPromise(results)) {
    throw new UserError(
      'Nothing was executed: `deferredToolResults` is a promise. Did you forget `await`?',
    );
  }
  if (typeof results === 'function') {
    throw new UserError(
      'Nothing was executed: the decisions and results are a function, not a `DeferredToolResults`. ' +
        'Did you forget to call it, such as `approveAll()`?',
    );
  }
  throw new UserError(
    'Nothing was executed: the decisions and results are not a `DeferredToolResults`. Use `new DeferredToolResults(…)`, ' +
      '`requests.buildResults(…)` or, for JSON, `resultsCodec.parse(…)`.',
  );
}

/** Returns the number of approved calls. */
export function countApproved(results: DeferredToolResults): number {
  let count = 0;
  for (const id of Object.keys(results.approvals)) {
    const decision = results.approvals[id];
    if (decision === true || decision instanceof ToolApproved) count += 1;
  }
  return count;
}

/** Throws if a pending call has neither a decision nor a result. */
export function requireComplete(results: DeferredToolResults, pendingIds: Iterable<string>): void {
  const missing = [...pendingIds].filter((id) => !results.has(id));
  if (missing.length > 0) throw new MissingResultsError(missing);
}

function isValidDecision(decision: unknown): decision is ApprovalDecision {
  if (typeof decision === 'boolean') return true;
  if (decision instanceof ToolApproved) {
    const { overrideArgs, approval, reason } = decision;
    const isValidEdit = overrideArgs === undefined || isPlainObject(overrideArgs);
    return (
      isValidEdit && isOptionalText(reason) && (approval === undefined || isCallApproval(approval))
    );
  }
  if (decision instanceof ToolDenied || decision instanceof ModelRetry) {
    return typeof decision.message === 'string';
  }
  return isUndecided(decision) && isOptionalText(decision.message);
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

/** Returns whether a value names the approvers of a call. */
function isCallApproval(approval: unknown): boolean {
  try {
    callApprovalFormat.read(approval, JsonPath.root);
    return true;
  } catch {
    return false;
  }
}
