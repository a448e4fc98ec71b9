import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { quoteIds, UserError } from '../errors/user-errors.ts';
import { type CallDetails, NO_DETAILS } from '../messages/call-details.ts';
import { printAs } from '../internal/inspect.ts';
import type { JsonObject, JsonValue } from '../internal/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { CallOf } from '../tools/matched-call.ts';
import {
  type ApprovalDecision,
  type ExternalResult,
  ToolApproved,
  ToolInput,
} from './decisions.ts';
import {
  type CheckedEdit,
  type DecisionEntry,
  type EditCheck,
  PendingCall,
  type ResolvedCall,
} from './pending-call.ts';
import type { NestedPath } from './nested-calls.ts';
import { type RecordByKey, byId, DeferredToolResults, frozenById } from './results.ts';

/** Validated arguments of a call. */
export interface CheckedArgs {
  /** The arguments as the tool will receive them; frozen. */
  readonly args: unknown;
}

/** Options of {@link DeferredToolRequests}. */
export interface DeferredToolRequestsOptions {
  readonly calls?: readonly ToolCallPart[] | undefined;
  readonly approvals?: readonly ToolCallPart[] | undefined;
  readonly questions?: readonly ToolCallPart[] | undefined;
  readonly metadata?: Readonly<RecordByKey<JsonObject>> | undefined;
  readonly nested?: Readonly<RecordByKey<NestedPath>> | undefined;
  /** The ids of the pending calls, by key; a call without one has its key as its id. */
  readonly ids?: Readonly<RecordByKey<string>> | undefined;
  readonly details?: Readonly<RecordByKey<CallDetails>> | undefined;
  /** Validated arguments and definitions by key, if the tools are known. */
  readonly resolved?: Readonly<RecordByKey<ResolvedCall>> | undefined;
  /** Validates edits, if the tools are known. */
  readonly checkEdit?: EditCheck | undefined;
}

const REQUESTS_OPTIONS: OptionTable<DeferredToolRequestsOptions> = {
  calls: 'list',
  approvals: 'list',
  questions: 'list',
  metadata: 'object',
  nested: 'object',
  ids: 'object',
  details: 'object',
  resolved: 'object',
  checkEdit: 'function',
};

/** Decisions and results by key, for {@link DeferredToolRequests.buildResults}. */
export interface BuildResultsOptions {
  readonly approvals?: Readonly<RecordByKey<ApprovalDecision>> | undefined;
  readonly calls?: Readonly<RecordByKey<ExternalResult>> | undefined;
  readonly metadata?: Readonly<RecordByKey<JsonObject>> | undefined;
  /** Inputs for questions. */
  readonly inputs?: Readonly<RecordByKey<JsonValue>> | undefined;
  /** Approves the calls that `approvals` does not name. It leaves questions pending. */
  readonly approveAll?: boolean | undefined;
}

const BUILD_OPTIONS: OptionTable<BuildResultsOptions> = {
  approvals: 'object',
  calls: 'object',
  inputs: 'object',
  metadata: 'object',
  approveAll: 'boolean',
};

/**
 * The pending calls of one model response: those that need approval, those that have a question, and those whose
 * result comes from outside the run. Iterate over them to decide about each {@link PendingCall}.
 *
 * A run that ends with these is *parked*: store its messages, collect the decisions in
 * {@link DeferredToolResults}, and resume the run with both. As an output type it allows a run to park.
 *
 * Calls of sub-agents are in the same lists. Their `toolCallId` there is the key of the pending call: the ids
 * from the outermost call to the call itself.
 *
 * @example
 * const decisions = [];
 * for (const call of requests) decisions.push((await ask(call)) ? call.approve() : call.deny());
 * const results = requests.buildResults(decisions);
 */
export class DeferredToolRequests {
  /** Calls whose result comes from outside the run. */
  readonly calls: readonly ToolCallPart[];
  /** Calls that execute after an approver approves them. */
  readonly approvals: readonly ToolCallPart[];
  /** Calls whose tools need an input; `details` contains the question. */
  readonly questions: readonly ToolCallPart[];
  /** Data that tools attached when they deferred, by key; no prototype. The model does not see it. */
  readonly metadata: Readonly<RecordByKey<JsonObject>>;
  /** The paths of calls of sub-agents, by key; no prototype. */
  readonly nested: Readonly<RecordByKey<NestedPath>>;
  /** The ids of the pending calls, by key; no prototype. See `id` of {@link PendingCall}. */
  readonly ids: Readonly<RecordByKey<string>>;
  /** Previews, digests and warnings, by key, of the calls that have some; no prototype. */
  readonly details: Readonly<RecordByKey<CallDetails>>;
  readonly #resolved: Readonly<RecordByKey<ResolvedCall>>;
  readonly #checkEdit: EditCheck | undefined;
  #pendingCalls: readonly PendingCall[] | undefined;

  constructor(requests: DeferredToolRequestsOptions) {
    checkOptions('`DeferredToolRequests`', requests, REQUESTS_OPTIONS);
    this.calls = Object.freeze([...(requests.calls ?? [])]);
    this.approvals = Object.freeze([...(requests.approvals ?? [])]);
    this.questions = Object.freeze([...(requests.questions ?? [])]);
    this.metadata = frozenById(requests.metadata);
    this.nested = frozenById(requests.nested);
    this.ids = frozenById(requests.ids);
    this.details = frozenById(requests.details);
    this.#resolved = frozenById(requests.resolved);
    this.#checkEdit = requests.checkEdit;
  }

  get #pending(): readonly PendingCall[] {
    this.#pendingCalls ??= [
      ...this.approvals.map((part) => this.#pendingCall('approval', part)),
      ...this.questions.map((part) => this.#pendingCall('question', part)),
      ...this.calls.map((part) => this.#pendingCall('external', part)),
    ];
    return this.#pendingCalls;
  }

  /** Iterates over the pending calls: those that need approval, then questions, then external ones. */
  [Symbol.iterator](): ArrayIterator<PendingCall> {
    return this.#pending.values();
  }

  /** The number of pending calls. */
  get size(): number {
    return this.#pending.length;
  }

  /**
   * Returns the pending call with this key, or of this element of `approvals` or `calls`; `undefined` if there
   * is none.
   */
  find<Args = unknown>(call: string | CallOf<Args>): PendingCall<Args> | undefined {
    const key = keyOfCall(call);
    const found = this.#pending.find((pending) => pending.key === key);
    // `matches` of the tool has confirmed the type of the arguments.
    return found as PendingCall<Args> | undefined;
  }

  /** Returns the pending call as {@link find} does; throws a `UserError` if there is none. */
  get<Args = unknown>(call: string | CallOf<Args>): PendingCall<Args> {
    const found = this.find(call);
    if (found !== undefined) return found;
    throw new UserError(
      `No pending call has the key \`${keyOfCall(call)}\`. ` +
        `Pass one of these: ${quoteIds(this.#pending.map(({ key }) => key))}.`,
    );
  }

  /**
   * Collects decisions and results for these calls.
   *
   * Accepts the values that the methods of {@link PendingCall} return, or records by key. Every key
   * must be that of a pending call of its kind. `approveAll` approves the calls that `approvals`
   * does not name; external calls always need a result. If calls have digests, the results contain
   * them.
   */
  buildResults(
    decisions: readonly DecisionEntry[] | BuildResultsOptions = {},
  ): DeferredToolResults {
    if (isEntryList(decisions)) return this.#fromEntries(decisions);
    checkOptions('`buildResults`', decisions, BUILD_OPTIONS);
    const { approvals, calls, inputs, approveAll } = decisions;
    if (approvals !== undefined) this.#requireKeys('approvals', Object.keys(approvals));
    if (calls !== undefined) this.#requireKeys('calls', Object.keys(calls));
    const results = new DeferredToolResults({ approvals, calls, metadata: decisions.metadata });
    if (inputs !== undefined) this.#requireKeys('inputs', Object.keys(inputs));
    for (const [key, value] of Object.entries(inputs ?? {})) {
      if (results.has(key)) {
        throw new UserError(
          `Call \`${key}\` has an input and another decision, so it is unclear which one applies. Pass one of them.`,
        );
      }
      results.approvals[key] = new ToolInput(value);
    }
    for (const { kind, key, digest } of this) {
      if (approveAll && kind === 'approval' && !results.has(key)) {
        results.approvals[key] = new ToolApproved();
      }
      // A decision applies only to this version of the call.
      if (digest !== undefined && results.has(key)) results.digests[key] = digest;
    }
    return results;
  }

  /** Returns the calls that `results` leaves pending, or `undefined` if it covers all of them. */
  remaining(results: DeferredToolResults): DeferredToolRequests | undefined {
    const isPending = (call: ToolCallPart) => !results.has(call.toolCallId);
    const calls = this.calls.filter(isPending);
    const approvals = this.approvals.filter(isPending);
    const questions = this.questions.filter(isPending);
    if (calls.length + approvals.length + questions.length === 0) return undefined;
    const keys = [...calls, ...approvals, ...questions].map((call) => call.toolCallId);
    return makeRequests({
      calls,
      approvals,
      questions,
      metadata: pickEntries(this.metadata, keys),
      nested: pickEntries(this.nested, keys),
      ids: pickEntries(this.ids, keys),
      details: pickEntries(this.details, keys),
      resolved: pickEntries(this.#resolved, keys),
      checkEdit: this.#checkEdit,
    });
  }

  /** Validates edited arguments of a call; see `checkEdit` of {@link PendingCall}. */
  async checkEdit(call: string | ToolCallPart, args: JsonObject): Promise<CheckedEdit | undefined> {
    return this.#checkEdit?.(keyOfCall(call), args);
  }

  /** Returns the pending calls with their arguments, one per line. */
  toString(): string {
    return this.#pending.join('\n');
  }

  static {
    // `console.log` prints each call with its arguments.
    printAs(this.prototype, (requests) => ({
      approvals: requests.#pending.filter(({ kind }) => kind === 'approval'),
      ...(requests.questions.length > 0 && {
        questions: requests.#pending.filter(({ kind }) => kind === 'question'),
      }),
      calls: requests.#pending.filter(({ kind }) => kind === 'external'),
    }));
  }

  #pendingCall(kind: PendingCall['kind'], part: ToolCallPart): PendingCall {
    const key = part.toolCallId;
    return new PendingCall({
      id: this.ids[key] ?? key,
      kind,
      part,
      path: this.nested[key] ?? { agents: [], toolCallId: key },
      details: this.details[key] ?? NO_DETAILS,
      metadata: this.metadata[key],
      resolved: this.#resolved[key],
      checkEdit: this.#checkEdit,
    });
  }

  #fromEntries(entries: readonly DecisionEntry[]): DeferredToolResults {
    const results = DeferredToolResults.of(entries);
    this.#requireKeys('approvals', Object.keys(results.approvals));
    this.#requireKeys('calls', Object.keys(results.calls));
    return results;
  }

  #requireKeys(record: ResultsRecord, keys: readonly string[]): void {
    const accepting = this.#pending.filter((call) => acceptsIn(record, call));
    const accepted = new Set(accepting.map(({ key }) => key));
    const unknown = keys.filter((key) => !accepted.has(key));
    if (unknown.length === 0) return;
    throw new UserError(
      `\`${record}\` has entries for ${quoteIds(unknown.toSorted())}, but the \`${record}\` of these requests are ${quoteIds([...accepted].toSorted())}. ` +
        'Pass decisions for those.',
    );
  }
}

type ResultsRecord = 'approvals' | 'calls' | 'inputs';

function keyOfCall(call: string | ToolCallPart): string {
  return typeof call === 'string' ? call : call.toolCallId;
}

/** A call in doubt also accepts a result, in case it did execute. */
function acceptsIn(record: ResultsRecord, { kind, inDoubt }: PendingCall): boolean {
  if (record === 'inputs') return kind === 'question';
  // A question can be denied.
  if (record === 'approvals') return kind !== 'external';
  return kind === 'external' || inDoubt !== undefined;
}

function isEntryList(
  decisions: readonly DecisionEntry[] | BuildResultsOptions,
): decisions is readonly DecisionEntry[] {
  return Array.isArray(decisions);
}

/** Creates requests outside of the class, because a bundler renames a class that refers to itself. */
function makeRequests(
  ...args: ConstructorParameters<typeof DeferredToolRequests>
): DeferredToolRequests {
  return new DeferredToolRequests(...args);
}

/** Returns the entries with these keys. */
function pickEntries<Value>(
  entries: Readonly<RecordByKey<Value>>,
  keys: readonly string[],
): RecordByKey<Value> {
  const picked = byId<Value>();
  for (const key of keys) {
    const entry = entries[key];
    if (entry !== undefined) picked[key] = entry;
  }
  return picked;
}
