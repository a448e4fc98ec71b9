import type { JsonObject } from '../internal/json.ts';
import { type Message, type ModelRequest, type ModelResponse, toolCallsOf } from './message.ts';
import { hasStepRecord, mergeStoredRecords } from './step-record.ts';
import { type RequestPart, type ToolReturnPart, isToolResult } from './request-part.ts';
import type { ToolCallPart } from './response-part.ts';

/** The pending calls of one response. A duplicate id occurs as often as the response has it. */
export class PendingCalls {
  /** The calls in the order of the response; `undefined` if the call has a result. */
  readonly #calls: (ToolCallPart | undefined)[];
  /** The number of calls without a result. */
  size: number;
  /** The index of the first pending call, as long as the results have the order of the calls. */
  #first = 0;
  /** The indexes of the pending calls, by tool call id. Built for the first result in another order. */
  #indexes: Map<string, number[]> | undefined;

  constructor(calls: readonly ToolCallPart[]) {
    this.#calls = [...calls];
    this.size = calls.length;
  }

  /** The calls without a result, in the order of the response. */
  get calls(): readonly ToolCallPart[] {
    return this.#calls.filter((call) => call !== undefined);
  }

  /** Removes and returns the first call with this id, because it has a result. */
  take(toolCallId: string): ToolCallPart | undefined {
    if (this.size === 0) return undefined;
    const index = this.#takeIndex(toolCallId);
    if (index === undefined) return undefined;
    const call = this.#calls[index];
    this.#calls[index] = undefined;
    this.size -= 1;
    return call;
  }

  #takeIndex(toolCallId: string): number | undefined {
    if (this.#indexes === undefined && this.#calls[this.#first]?.toolCallId === toolCallId) {
      this.#first += 1;
      return this.#first - 1;
    }
    this.#indexes ??= indexesById(this.#calls);
    return this.#indexes.get(toolCallId)?.shift();
  }
}

function indexesById(calls: readonly (ToolCallPart | undefined)[]): Map<string, number[]> {
  const byId = new Map<string, number[]>();
  for (const [index, call] of calls.entries()) {
    if (call === undefined) continue;
    const indexes = byId.get(call.toolCallId);
    if (indexes === undefined) byId.set(call.toolCallId, [index]);
    else indexes.push(index);
  }
  return byId;
}

/**
 * Repairs everything in a history that a provider would reject.
 *
 * Removes results without a call, cancels calls without a result, and merges consecutive requests. The calls of the last
 * response stay pending unless `repairLast` is set.
 */
export function cleanHistory(
  messages: readonly Message[],
  options: { repairLast: boolean },
): readonly Message[] {
  const cleaner = new HistoryCleaner();
  for (const message of messages) cleaner.add(message);
  if (options.repairLast) cleaner.cancelPendingCalls();
  return cleaner.messages;
}

/** The pending calls before the first response. It is never changed, because it has no call to take. */
const NO_PENDING_CALLS = new PendingCalls([]);

/** Repairs a history message by message, so that a run can continue it. */
export class HistoryCleaner {
  #messages: Message[] = [];
  /** The calls of the last response without a result. */
  #pending = NO_PENDING_CALLS;
  #conversationId: string | undefined;
  /** True if a reader holds `#messages`, so that only its end may change. */
  #isShared = false;
  /** True if a message was changed. Requests with only a step record do not count. */
  #isRepaired = false;
  /** The last request that lost all its parts. It is removed, unless it is the last message. */
  #emptied: Message | undefined;
  /** The last request that was merged from several. */
  #merged: Message | undefined;
  /** The history that this one was forked from. */
  #origin: readonly Message[] | undefined;

  /** True if a provider would have rejected the messages as they were added. */
  get isRepaired(): boolean {
    return this.#isRepaired;
  }

  /** The repaired history. The array only grows at its end; any other change makes a new array. */
  get messages(): readonly Message[] {
    this.#isShared = true;
    return this.#messages;
  }

  /** Returns a frozen copy of the repaired history, which does not grow. */
  snapshot(): HistorySnapshot {
    const source = this.#messages;
    this.#isShared = true;
    return { messages: Object.freeze([...source]), source, origin: this.#origin };
  }

  /** The calls of the last response without a result. */
  get pendingCalls(): readonly ToolCallPart[] {
    return this.#pending.calls;
  }

  /** The conversation of the last message that names one. */
  get conversationId(): string | undefined {
    return this.#conversationId;
  }

  /** Adds the next message. */
  add(message: Message): void {
    if (message.conversationId !== undefined) this.#conversationId = message.conversationId;
    if (message.kind === 'response') this.#addResponse(message);
    else this.#addRequest(message);
  }

  /**
   * Adds a result to each pending call, except for those in `except`. The result states that the
   * call was interrupted.
   */
  cancelPendingCalls(except?: ReadonlySet<ToolCallPart>): void {
    if (this.#pending.size === 0) return;
    const cancelled = this.pendingCalls.filter((call) => !except?.has(call));
    if (cancelled.length === 0) return;
    const returns = cancelled.map(interruptedReturn);
    this.#isRepaired = true;
    for (const { toolCallId } of cancelled) this.#pending.take(toolCallId);
    const last = this.#messages.at(-1);
    if (last?.kind === 'request') {
      const end = last.parts.findLastIndex(isToolResult) + 1;
      const request = withParts(last, last.parts.toSpliced(end, 0, ...returns));
      this.#replaceLast(last === this.#merged ? asComplete(request) : request);
    } else {
      this.#messages.push(Object.freeze({ kind: 'request', parts: Object.freeze(returns) }));
    }
  }

  /** Returns a cleaner that continues from here without changing this one. */
  fork(): HistoryCleaner {
    const fork = new HistoryCleaner();
    fork.#messages = [...this.#messages];
    fork.#pending = new PendingCalls(this.pendingCalls);
    fork.#origin = this.#messages;
    fork.#isRepaired = this.#isRepaired;
    fork.#emptied = this.#emptied;
    fork.#merged = this.#merged;
    fork.#conversationId = this.#conversationId;
    return fork;
  }

  #addResponse(response: ModelResponse): void {
    if (this.#pending.size > 0) this.cancelPendingCalls();
    const previous = this.#messages.at(-1);
    if (previous !== undefined && previous === this.#emptied) this.#removeLast();
    const last = this.#messages.at(-1);
    if (last?.kind === 'response' && isSynthetic(last) && isSynthetic(response)) {
      this.#isRepaired = true;
      const metadata = mergeMetadata(last.metadata, response.metadata);
      const parts = Object.freeze([...last.parts, ...response.parts]);
      this.#replaceLast(Object.freeze({ ...last, parts, ...(metadata && { metadata }) }));
    } else {
      this.#messages.push(response);
    }
    this.#pending = new PendingCalls(toolCallsOf(response));
  }

  #addRequest(request: ModelRequest): void {
    const emptied = this.#emptied;
    const kept = this.#withoutOrphans(request);
    const previous = this.#messages.at(-1);
    if (previous !== undefined && previous === emptied && !hasStepRecord(emptied)) {
      this.#removeLast();
    }
    const last = this.#messages.at(-1);
    if (last?.kind === 'request' && kept === this.#emptied && !hasStepRecord(kept)) return;
    if (last?.kind === 'request' && canMerge(last, kept)) {
      const isRecordOnly = isStepRecordOnly(kept);
      if (!isRecordOnly && hasContent(last)) this.#isRepaired = true;
      const merged = mergeRequests(last, kept);
      // While calls are pending, the state shows that they may have started.
      const next = isRecordOnly || this.#pending.size > 0 ? merged : asComplete(merged);
      if (!isRecordOnly || last === this.#merged) this.#merged = next;
      this.#replaceLast(next);
    } else {
      this.#messages.push(kept);
    }
  }

  #withoutOrphans(request: ModelRequest): ModelRequest {
    const kept: RequestPart[] = [];
    for (const part of request.parts) {
      const isOrphan = isToolResult(part) && this.#pending.take(part.toolCallId) === undefined;
      if (!isOrphan) kept.push(part);
    }
    if (kept.length === request.parts.length) return request;
    this.#isRepaired = true;
    const rest = withParts(request, kept);
    if (kept.length === 0) this.#emptied = rest;
    return rest;
  }

  #replaceLast(message: Message): void {
    this.#removeLast();
    this.#messages.push(message);
  }

  #removeLast(): void {
    if (this.#isShared) {
      this.#messages = this.#messages.slice(0, -1);
      this.#isShared = false;
    } else {
      this.#messages.pop();
    }
  }
}

/** A frozen copy of a history, and the growing list that it is a copy of. */
export interface HistorySnapshot {
  readonly messages: readonly Message[];
  readonly source: readonly Message[];
  /** The history that the growing list was forked from. */
  readonly origin: readonly Message[] | undefined;
}

/**
 * Returns the growing history if `messages` is its current copy. Otherwise returns the list itself.
 */
export function sourceOf(
  messages: readonly Message[],
  snapshot: HistorySnapshot | undefined,
): readonly Message[] {
  if (snapshot?.messages !== messages) return messages;
  return snapshot.source.length === messages.length ? snapshot.source : messages;
}

/**
 * Returns the unchanging list that the history of a snapshot starts with, if it was forked from one. Several runs may
 * start from the same list, so a conversion of it can be reused.
 */
export function originOf(snapshot: HistorySnapshot): readonly Message[] | undefined {
  const { origin, source } = snapshot;
  // Only the last message of the origin can have been replaced.
  const end = (origin?.length ?? 0) - 1;
  return end >= 0 && source[end] === origin?.[end] ? origin : undefined;
}

function withParts(request: ModelRequest, parts: readonly RequestPart[]): ModelRequest {
  return Object.freeze({ ...request, parts: Object.freeze(parts) });
}

/** Returns the result of a call that was interrupted. */
function interruptedReturn(call: ToolCallPart): ToolReturnPart {
  return Object.freeze({
    kind: 'tool-return',
    toolName: call.toolName,
    toolCallId: call.toolCallId,
    content: 'This tool call was cut short; it has no result.',
    outcome: 'interrupted',
  });
}

function canMerge(first: ModelRequest, second: ModelRequest): boolean {
  return !first.instructions || !second.instructions || first.instructions === second.instructions;
}

function mergeRequests(first: ModelRequest, second: ModelRequest): ModelRequest {
  if (isStepRecordOnly(second)) return withMetadataOf(first, second);
  const merged: Writable<ModelRequest> = { ...first, ...second };
  const metadata = mergeMetadata(first.metadata, second.metadata);
  if (metadata) merged.metadata = metadata;
  // A step that parked since is no longer interrupted.
  if (hasStepRecord(second)) merged.state = second.state;
  if (!hasContent(first)) return Object.freeze(merged);
  const parts = [...first.parts, ...second.parts];
  const results = parts.filter(isResultOrRetry);
  const others = parts.filter((part) => !isResultOrRetry(part));
  merged.parts = Object.freeze([...results, ...others]);
  const instructions = second.instructions || first.instructions;
  if (instructions) merged.instructions = instructions;
  // A request with parts of two runs belongs to neither, as in Pydantic AI.
  const { runId: _run, conversationId: _conversation, ...fields } = merged;
  return Object.freeze(fields);
}

/** Returns whether a part precedes prompts in a merged request. */
function isResultOrRetry({ kind }: RequestPart): boolean {
  return kind === 'tool-return' || kind === 'retry-prompt';
}

/** Returns a merged request without the interruption of a request that it was merged from. */
function asComplete(request: ModelRequest): ModelRequest {
  return request.state === 'interrupted'
    ? Object.freeze({ ...request, state: 'complete' })
    : request;
}

/** Returns whether a request has only a step record. */
function isStepRecordOnly(request: ModelRequest): boolean {
  return !hasContent(request) && hasStepRecord(request);
}

/** Returns whether a request has anything for a model. */
function hasContent({ parts, instructions }: ModelRequest): boolean {
  return parts.length > 0 || Boolean(instructions);
}

/** Merges a request without content for the model into another one: only the metadata changes. */
function withMetadataOf(request: ModelRequest, empty: ModelRequest): ModelRequest {
  const metadata = mergeMetadata(request.metadata, empty.metadata);
  if (metadata === request.metadata) return request;
  const state = hasStepRecord(empty) ? empty.state : request.state;
  return Object.freeze({ ...request, metadata, state });
}

function mergeMetadata(
  first: JsonObject | undefined,
  second: JsonObject | undefined,
): JsonObject | undefined {
  if (!first || !second) return second ?? first;
  return Object.freeze({ ...first, ...second, ...mergeStoredRecords(first, second) });
}

/** Returns whether an application wrote a response into the history, instead of a model. */
function isSynthetic(response: ModelResponse): boolean {
  return response.modelName === undefined && response.providerResponseId === undefined;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
