import { checkOptions, type OptionTable, passInstead } from '../errors/check-options.ts';
import { showValue } from '../errors/show-value.ts';
import { InvalidResultsError, UserError } from '../errors/user-errors.ts';
import { messageOf } from '../errors/thrown.ts';
import { printAs } from '../internal/inspect.ts';
import { isEmptyObject, type JsonObject, toFrozenJson } from '../internal/json.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../tools/signals.ts';
import {
  type Decision,
  type ApprovalDecision,
  type ExternalResult,
  isUndecided,
  ToolApproved,
  ToolInput,
  toApprovalDecision,
  toExternalResult,
} from './decisions.ts';
import type { DecisionEntry } from './pending-call.ts';

/** Values by the key of a pending call. Keys come from outside, so these records have no prototype. */
export type RecordByKey<Value> = Record<string, Value>;

/** Options of {@link DeferredToolResults}. */
export interface DeferredToolResultsOptions {
  readonly calls?: Readonly<RecordByKey<ExternalResult>> | undefined;
  readonly approvals?: Readonly<RecordByKey<ApprovalDecision>> | undefined;
  readonly metadata?: Readonly<RecordByKey<JsonObject>> | undefined;
  readonly digests?: Readonly<RecordByKey<string>> | undefined;
}

const RESULTS_OPTIONS: OptionTable<DeferredToolResultsOptions> = {
  calls: 'object',
  approvals: 'object',
  metadata: 'object',
  digests: 'object',
};

/**
 * The decisions and results for the pending calls of one response, by key. Pass them to `agent.resume`.
 *
 * @example
 * const results = new DeferredToolResults();
 * for (const call of requests.approvals) results.approvals[call.toolCallId] = await ask(call);
 */
export class DeferredToolResults {
  /** Results of external calls. */
  readonly calls: RecordByKey<ExternalResult>;
  /** Decisions about calls that need approval, and inputs for questions. */
  readonly approvals: RecordByKey<ApprovalDecision>;
  /** Data for the tool, in `ctx.toolCallMetadata` when its approved call executes. */
  readonly metadata: RecordByKey<JsonObject>;
  /** The digests of the decided calls, if the requests have them. A call whose digest changed since does not execute. */
  readonly digests: RecordByKey<string>;

  constructor(options?: DeferredToolResultsOptions) {
    if (options !== undefined) checkOptions('`DeferredToolResults`', options, RESULTS_OPTIONS);
    this.calls = Object.assign(Object.create(null), options?.calls);
    this.approvals = Object.assign(Object.create(null), options?.approvals);
    this.metadata = Object.assign(Object.create(null), options?.metadata);
    this.digests = Object.assign(Object.create(null), options?.digests);
  }

  /** Collects the decisions and results that the methods of {@link PendingCall} return. */
  static of(entries: Iterable<DecisionEntry>): DeferredToolResults {
    return collectEntries(entries);
  }

  /** Returns whether a call has a decision or a result. */
  has(toolCallId: string): boolean {
    return Object.hasOwn(this.calls, toolCallId) || Object.hasOwn(this.approvals, toolCallId);
  }

  /** True if there is neither a decision nor a result. */
  get isEmpty(): boolean {
    return isEmptyObject(this.calls) && isEmptyObject(this.approvals);
  }

  /** Returns the decision or result for a call as an object; `undefined` if there is none. */
  get(toolCallId: string): Decision | undefined {
    const decision = this.approvals[toolCallId];
    if (decision !== undefined) return toApprovalDecision(decision);
    return Object.hasOwn(this.calls, toolCallId)
      ? toExternalResult(this.calls[toolCallId])
      : undefined;
  }

  static {
    // `console.log` prints decisions and results, and no records that are empty.
    printAs(this.prototype, ({ approvals, calls, metadata, digests }) => {
      const filled = Object.entries({ approvals, calls, metadata, digests })
        .filter(([, record]) => !isEmptyObject(record))
        .map(([name, record]) => [name, { ...record }]);
      return Object.fromEntries(filled);
    });
  }

  /** Adds the decisions and results of `other`, which take precedence. */
  update(other: DeferredToolResults): void {
    Object.assign(this.calls, other.calls);
    Object.assign(this.approvals, other.approvals);
    Object.assign(this.metadata, other.metadata);
    Object.assign(this.digests, other.digests);
  }

  /** Returns all decisions and results as objects, by key: `true` as `ToolApproved`, a plain value as `ToolReturn`. */
  toToolCallResults(): Readonly<RecordByKey<Decision>> {
    const results = byId<Decision>();
    for (const [id, decision] of Object.entries(this.approvals)) {
      results[id] = toApprovalDecision(decision);
    }
    for (const [id, result] of Object.entries(this.calls)) results[id] = toExternalResult(result);
    return results;
  }
}

/** Collects entries outside of the class, because a bundler renames a class that refers to itself. */
function collectEntries(entries: Iterable<DecisionEntry>): DeferredToolResults {
  const results = new DeferredToolResults();
  for (const entry of entries) {
    requireEntry(entry);
    const { key, digest, metadata } = entry;
    if (results.has(key)) {
      throw new UserError(
        `Call \`${key}\` has two decisions, so it is unclear which one applies. Pass one entry per call.`,
      );
    }
    if (entry.kind === 'approval') results.approvals[key] = entry.decision;
    else results.calls[key] = entry.decision;
    if (digest !== undefined) results.digests[key] = digest;
    if (metadata !== undefined) results.metadata[key] = metadata;
  }
  return results;
}

function requireEntry(entry: DecisionEntry): void {
  // Callers without types may pass any value.
  if (typeof (entry as Partial<DecisionEntry> | null)?.key === 'string') return;
  throw new UserError(
    `An entry of the decisions is ${showValue(entry)}. ` +
      passInstead(
        entry,
        'the entries that `approve()`, `deny()`, `respond()`, `resolve()` and `retry()` return',
      ),
  );
}

/** Returns a record without a prototype, with the entries of another one. */
export function byId<Value>(
  entries?: Readonly<RecordByKey<Value>> | undefined,
): RecordByKey<Value> {
  return Object.assign(Object.create(null), entries);
}

const NO_ENTRIES = Object.freeze(byId<never>());

/** Returns a frozen record without a prototype: the given one if it is such a record, or else a copy. */
export function frozenById<Value>(
  entries: Readonly<RecordByKey<Value>> | undefined,
): Readonly<RecordByKey<Value>> {
  if (entries === undefined) return NO_ENTRIES;
  const isKept = Object.isFrozen(entries) && Object.getPrototypeOf(entries) === null;
  return isKept ? entries : Object.freeze(byId(entries));
}

/** Converts captured decisions and results to JSON data, and freezes them. Throws if JSON cannot hold one of them. */
export function storeResults(results: DeferredToolResults): DeferredToolResults {
  const { approvals, calls, metadata } = results;
  for (const id of Object.keys(approvals)) {
    const decision = approvals[id];
    if (decision instanceof ToolApproved) approvals[id] = toStoredApproval(id, decision);
    else if (decision instanceof ToolInput) {
      approvals[id] = new ToolInput(toStoredJson(id, decision.value));
    }
  }
  for (const [id, result] of Object.entries(calls)) {
    if (!isResultObject(result)) calls[id] = toStoredJson(id, result);
  }
  for (const [id, value] of Object.entries(metadata)) metadata[id] = toStoredJson(id, value);
  return freezeResults(results);
}

/** Freezes results, so that an observer that is handed them cannot change a decision. */
export function freezeResults(results: DeferredToolResults): DeferredToolResults {
  Object.freeze(results.approvals);
  Object.freeze(results.calls);
  Object.freeze(results.metadata);
  Object.freeze(results.digests);
  return Object.freeze(results);
}

function toStoredApproval(id: string, decision: ToolApproved): ToolApproved {
  const { overrideArgs, approval, reason, shown } = decision;
  if (overrideArgs === undefined && approval === undefined && shown === undefined) return decision;
  return new ToolApproved({
    overrideArgs: overrideArgs && toStoredJson(id, overrideArgs),
    approval: approval && toStoredJson(id, approval),
    reason,
    shown: shown && toStoredJson(id, shown),
  });
}

/** Returns the frozen JSON form of a value. */
function toStoredJson<Value>(toolCallId: string, value: Value): Value {
  try {
    // JSON data has the same type in its JSON form.
    return toFrozenJson(value, 'value') as Value;
  } catch (error) {
    throw new InvalidResultsError(
      [toolCallId],
      `A decision or result cannot be stored as JSON: ${messageOf(error)}`,
    );
  }
}

/** Returns whether a result is an object of Holdpoint, whose data is validated when it is applied. */
function isResultObject(result: ExternalResult): boolean {
  if (isUndecided(result)) return true;
  return [ToolReturn, ModelRetry, ToolFailed].some((type) => result instanceof type);
}
