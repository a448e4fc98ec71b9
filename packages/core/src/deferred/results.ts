import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { InvalidResultsError, UserError } from '../errors/user-errors.ts';
import { messageOf } from '../errors/thrown.ts';
import type { CallApproval } from '../messages/call-approval.ts';
import { printAs } from '../internal/inspect.ts';
import {
  isEmptyObject,
  hasOwn,
  type JsonObject,
  type JsonValue,
  toFrozenJson,
} from '../internal/json.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../tools/signals.ts';
import {
  type Decision,
  type ApprovalDecision,
  type ExternalResult,
  isUndecided,
  type ShownEdit,
  ToolApproved,
  toApprovalDecision,
  toExternalResult,
} from './answers.ts';
import type { DecisionEntry } from './pending-call.ts';

/** Something by tool call id. Ids come from outside, so these records have no prototype. */
export type RecordByKey<Value> = Record<string, Value>;

/** What {@link DeferredToolResults} are made from. */
export interface DeferredToolResultsOptions {
  readonly calls?: Readonly<RecordByKey<ExternalResult>> | undefined;
  readonly approvals?: Readonly<RecordByKey<ApprovalDecision>> | undefined;
  readonly metadata?: Readonly<RecordByKey<JsonObject>> | undefined;
  readonly digests?: Readonly<RecordByKey<string>> | undefined;
}

const OPTIONS: OptionTable<DeferredToolResultsOptions> = {
  calls: 'object',
  approvals: 'object',
  metadata: 'object',
  digests: 'object',
};

/**
 * The answers to a parked run's calls, by tool call id: fill it in and give it to the next run.
 *
 * @example
 * const results = new DeferredToolResults()
 * for (const call of requests.approvals) results.approvals[call.toolCallId] = await ask(call)
 */
export class DeferredToolResults {
  /** Answers to calls whose result comes from somewhere else. */
  readonly calls: RecordByKey<ExternalResult>;
  /** Answers to calls that need approval. */
  readonly approvals: RecordByKey<ApprovalDecision>;
  /** What a tool finds in `ctx.toolCallMetadata` when its approved call runs. */
  readonly metadata: RecordByKey<JsonObject>;
  /** The digests of the calls that were answered, where the requests had them: a call that is another one by now is not run. */
  readonly digests: RecordByKey<string>;

  constructor(answers: DeferredToolResultsOptions = {}) {
    checkOptions('`DeferredToolResults`', answers, OPTIONS);
    this.calls = byId(answers.calls);
    this.approvals = byId(answers.approvals);
    this.metadata = byId(answers.metadata);
    this.digests = byId(answers.digests);
  }

  /** Collects the decisions and results that the methods of {@link PendingCall} return. */
  static of(entries: Iterable<DecisionEntry>): DeferredToolResults {
    return collectEntries(entries);
  }

  /** Whether there is an answer for a call. */
  has(toolCallId: string): boolean {
    return Object.hasOwn(this.calls, toolCallId) || Object.hasOwn(this.approvals, toolCallId);
  }

  /** Whether there is no answer. */
  get isEmpty(): boolean {
    return isEmptyObject(this.calls) && isEmptyObject(this.approvals);
  }

  /** The answer for a call in the one form that runs work with; `undefined` if there is none. */
  get(toolCallId: string): Decision | undefined {
    if (Object.hasOwn(this.approvals, toolCallId)) {
      // It is there, as was just asked.
      return toApprovalDecision(this.approvals[toolCallId]!);
    }
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

  /** Adds the answers of `other`; its answers win over those that are here. */
  update(other: DeferredToolResults): void {
    addEntries(this.calls, other.calls);
    addEntries(this.approvals, other.approvals);
    addEntries(this.metadata, other.metadata);
    addEntries(this.digests, other.digests);
  }

  /** All answers in one form, by tool call id: `true` as `ToolApproved`, a plain value as `ToolReturn`, and so on. */
  toToolCallResults(): Readonly<RecordByKey<Decision>> {
    const results = byId<Decision>();
    for (const [id, answer] of Object.entries(this.approvals))
      results[id] = toApprovalDecision(answer);
    for (const [id, answer] of Object.entries(this.calls)) results[id] = toExternalResult(answer);
    return results;
  }
}

/** Outside of the class: a bundler renames a class that refers to itself. */
function collectEntries(entries: Iterable<DecisionEntry>): DeferredToolResults {
  const results = new DeferredToolResults();
  for (const entry of entries) {
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

/** A record without a prototype, with the entries of another one. */
export function byId<Value>(
  entries?: Readonly<RecordByKey<Value>> | undefined,
): RecordByKey<Value> {
  const record: RecordByKey<Value> = Object.create(null);
  if (entries !== undefined) addEntries(record, entries);
  return record;
}

/** Puts the entries of one record into another: from one without a prototype, `Object.assign` takes three times as long. */
function addEntries<Value>(
  record: RecordByKey<Value>,
  entries: Readonly<RecordByKey<Value>>,
): void {
  for (const id in entries) if (hasOwn.call(entries, id)) record[id] = entries[id]!;
}

const NO_ENTRIES: Readonly<RecordByKey<never>> = Object.freeze(byId<never>());

/** The same, frozen. Most often there are no entries: to freeze another empty record takes 300 ns. */
export function frozenById<Value>(
  entries?: Readonly<RecordByKey<Value>> | undefined,
): Readonly<RecordByKey<Value>> {
  return entries === undefined || isEmptyObject(entries)
    ? NO_ENTRIES
    : Object.freeze(byId(entries));
}

/** Returns a frozen copy of validated decisions and results, as JSON can hold them. */
export function copyResults(results: DeferredToolResults): DeferredToolResults {
  const copy = new DeferredToolResults();
  const { approvals, calls, metadata, digests } = results;
  // These have no prototype: what they list is their own, and there.
  for (const id in approvals) copy.approvals[id] = copyApproval(id, approvals[id]!);
  for (const id in calls) {
    copy.calls[id] = isSignal(calls[id]) ? calls[id]! : toJson(id, calls[id]);
  }
  for (const id in metadata) copy.metadata[id] = toJson(id, metadata[id]) as JsonObject;
  for (const id in digests) copy.digests[id] = digests[id]!;
  return freezeResults(copy);
}

/** Freezes results, so that an observer that is handed them cannot change a decision. */
export function freezeResults(results: DeferredToolResults): DeferredToolResults {
  for (const record of Object.values(results)) Object.freeze(record);
  return Object.freeze(results);
}

/** A copy of an answer to a call that waits for approval. */
function copyApproval(id: string, answer: ApprovalDecision): ApprovalDecision {
  if (!(answer instanceof ToolApproved)) return answer;
  const { overrideArgs, approval, reason, shown } = answer;
  // An object stays one: JSON changes only what is inside.
  return new ToolApproved({
    overrideArgs: overrideArgs && (toJson(id, overrideArgs) as JsonObject),
    approval: approval && (toJson(id, approval) as unknown as CallApproval),
    reason,
    shown: shown && (toJson(id, shown) as unknown as ShownEdit),
  });
}

function toJson(toolCallId: string, value: unknown): JsonValue {
  try {
    return toFrozenJson(value, 'answer');
  } catch (error) {
    const reason = messageOf(error);
    throw new InvalidResultsError([toolCallId], `An answer cannot be kept: ${reason}`);
  }
}

/** Answers that are more than data. They are looked at when they are applied, before anything runs. */
function isSignal(answer: unknown): boolean {
  if (isUndecided(answer)) return true;
  return [ToolReturn, ModelRetry, ToolFailed].some((type) => answer instanceof type);
}
