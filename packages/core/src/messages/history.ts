import type { JsonObject } from '../internal/json.ts';
import { type Message, type ModelRequest, type ModelResponse, toolCallsOf } from './message.ts';
import { hasStepRecord, mergedRecord } from './step-record.ts';
import { PendingCalls } from './pending-calls.ts';
import { isToolResult, type RequestPart, type ToolReturnPart } from './request-part.ts';
import type { ToolCallPart } from './response-part.ts';

/**
 * The history with everything repaired that a provider would reject.
 *
 * Results without a call are dropped, calls without a result get one that says so, consecutive
 * requests become one. The calls of the last response are left open unless `repairLast` is set.
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

/** Repairs a history message by message, so that a run can go on where it was. */
export class HistoryCleaner {
  #messages: Message[];
  /** Calls of the last response that nothing has answered yet. */
  #open: PendingCalls;
  #conversationId: string | undefined;
  /** Whether somebody holds `#messages`, so that only its end may change. */
  #shown = false;
  /** Whether anything had to be changed but notes that lie on requests of their own. */
  #isRepaired = false;
  /** The last request that lost all its parts: dropped, unless it is the last message. */
  #emptied: Message | undefined;
  /** The last request that was merged from several. */
  #merged: Message | undefined;
  /** The history that this one was forked from. */
  #origin: readonly Message[] | undefined;

  constructor(messages: Message[] = [], open: PendingCalls = new PendingCalls()) {
    this.#messages = messages;
    this.#open = open;
  }

  /** Whether the messages would be taken by a provider as they were added. */
  get isRepaired(): boolean {
    return this.#isRepaired;
  }

  /** The repaired history: one array that only grows at its end, and another array when anything else changes. */
  get messages(): readonly Message[] {
    this.#shown = true;
    return this.#messages;
  }

  /** Returns a frozen copy of the repaired history, which stays as it is when the history grows. */
  snapshot(): HistorySnapshot {
    const { messages: source } = this;
    return { messages: Object.freeze([...source]), source, origin: this.#origin };
  }

  /** The calls of the last response that have no result yet. */
  get pendingCalls(): readonly ToolCallPart[] {
    return this.#open.list();
  }

  /** The conversation that the last message which says so belongs to. */
  get conversationId(): string | undefined {
    return this.#conversationId;
  }

  add(message: Message): void {
    if (message.conversationId !== undefined) this.#conversationId = message.conversationId;
    if (message.kind === 'response') this.#addResponse(message);
    else this.#addRequest(message);
  }

  /** Gives the calls of the last response that have no result one that says so, but not those in `except`. */
  cancelPendingCalls(except: ReadonlySet<ToolCallPart> = new Set()): void {
    const closing = this.pendingCalls.filter((call) => !except.has(call));
    if (closing.length === 0) return;
    const returns = closing.map(interruptedReturn);
    this.#isRepaired = true;
    for (const { toolCallId } of closing) this.#open.take(toolCallId);
    const last = this.#messages.at(-1);
    if (last?.kind === 'request') {
      const closed = withParts(last, afterResults(last.parts, returns));
      this.#replaceLast(last === this.#merged ? asComplete(closed) : closed);
    } else {
      this.#messages.push(Object.freeze({ kind: 'request', parts: Object.freeze(returns) }));
    }
  }

  /** A cleaner that goes on from here without changing this one. */
  fork(): HistoryCleaner {
    const fork = new HistoryCleaner(this.#messages.slice(), this.#open.copy());
    fork.#origin = this.#messages;
    fork.#isRepaired = this.#isRepaired;
    fork.#emptied = this.#emptied;
    fork.#merged = this.#merged;
    fork.#conversationId = this.#conversationId;
    return fork;
  }

  #addResponse(response: ModelResponse): void {
    this.cancelPendingCalls();
    if (this.#endsEmptied()) this.#removeLast();
    const last = this.#messages.at(-1);
    if (last?.kind === 'response' && isSynthetic(last) && isSynthetic(response)) {
      this.#isRepaired = true;
      const metadata = mergeMetadata(last.metadata, response.metadata);
      const parts = Object.freeze([...last.parts, ...response.parts]);
      this.#replaceLast(Object.freeze({ ...last, parts, ...(metadata && { metadata }) }));
    } else {
      this.#messages.push(response);
    }
    this.#open = new PendingCalls(toolCallsOf(response));
  }

  #addRequest(request: ModelRequest): void {
    const kept = this.#withoutOrphans(request);
    const last = this.#messages.at(-1);
    if (last?.kind === 'request' && canMerge(last, kept)) {
      if (!isNote(kept)) this.#isRepaired = true;
      const merged = mergeRequests(last, kept);
      // While calls are pending, the state tells that they may have begun.
      const next = isNote(kept) || !this.#open.isEmpty ? merged : asComplete(merged);
      if (!isNote(kept) || last === this.#merged) this.#merged = next;
      this.#replaceLast(next);
    } else {
      this.#messages.push(kept);
    }
  }

  #withoutOrphans(request: ModelRequest): ModelRequest {
    const kept = request.parts.filter(
      (part) => !isToolResult(part) || this.#open.take(part.toolCallId) !== undefined,
    );
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

  #endsEmptied(): boolean {
    const last = this.#messages.at(-1);
    return last !== undefined && last === this.#emptied;
  }

  #removeLast(): void {
    if (this.#shown) {
      this.#messages = this.#messages.slice(0, -1);
      this.#shown = false;
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
 * Returns the growing history that `messages` are a copy of, or the list itself if it is not that copy or if the
 * history has grown since.
 */
export function sourceOf(
  messages: readonly Message[],
  snapshot: HistorySnapshot | undefined,
): readonly Message[] {
  if (snapshot?.messages !== messages) return messages;
  return snapshot.source.length === messages.length ? snapshot.source : messages;
}

/**
 * The list that the history of a snapshot begins with, if it is a copy of one that others begin with as well and
 * that does not change: what is made of it once is good for all of them.
 */
export function originOf(snapshot: HistorySnapshot): readonly Message[] | undefined {
  const { origin, source } = snapshot;
  // Only the end can have been replaced.
  const end = (origin?.length ?? 0) - 1;
  return end >= 0 && source[end] === origin?.[end] ? origin : undefined;
}

function withParts(request: ModelRequest, parts: readonly RequestPart[]): ModelRequest {
  return Object.freeze({ ...request, parts: Object.freeze(parts) });
}

/** The result of a call that never got one. */
function interruptedReturn(call: ToolCallPart): ToolReturnPart {
  return Object.freeze({
    kind: 'tool-return',
    toolName: call.toolName,
    toolCallId: call.toolCallId,
    content: 'This tool call was cut short; it has no result.',
    outcome: 'interrupted',
  });
}

function afterResults(
  parts: readonly RequestPart[],
  returns: readonly RequestPart[],
): RequestPart[] {
  const end = parts.findLastIndex(isToolResult) + 1;
  return parts.toSpliced(end, 0, ...returns);
}

function canMerge(first: ModelRequest, second: ModelRequest): boolean {
  return !first.instructions || !second.instructions || first.instructions === second.instructions;
}

function mergeRequests(first: ModelRequest, second: ModelRequest): ModelRequest {
  if (second.parts.length === 0 && !second.instructions) return withNotesOf(first, second);
  const parts = [...first.parts, ...second.parts];
  const results = parts.filter(isToolResult);
  const others = parts.filter((part) => !isToolResult(part));
  const merged: Writable<ModelRequest> = {
    ...first,
    ...second,
    parts: Object.freeze([...results, ...others]),
  };
  const instructions = second.instructions || first.instructions;
  if (instructions) merged.instructions = instructions;
  const metadata = mergeMetadata(first.metadata, second.metadata);
  if (metadata) merged.metadata = metadata;
  // A step that has parked since is no longer one that was cut short.
  if (hasStepRecord(second)) merged.state = second.state;
  return Object.freeze(merged);
}

/** Returns a merged request without the interruption of a request that it was merged from. */
function asComplete(request: ModelRequest): ModelRequest {
  return request.state === 'interrupted'
    ? Object.freeze({ ...request, state: 'complete' })
    : request;
}

/** Whether a request is there only for what is noted on it. */
function isNote(request: ModelRequest): boolean {
  return request.parts.length === 0 && !request.instructions && hasStepRecord(request);
}

/** A request that says nothing to the model leaves another one as it is, but for what is noted on it. */
function withNotesOf(request: ModelRequest, note: ModelRequest): ModelRequest {
  const metadata = mergeMetadata(request.metadata, note.metadata);
  if (metadata === request.metadata) return request;
  const state = hasStepRecord(note) ? note.state : request.state;
  return Object.freeze({ ...request, metadata, state });
}

function mergeMetadata(
  first: JsonObject | undefined,
  second: JsonObject | undefined,
): JsonObject | undefined {
  if (!first || !second) return second ?? first;
  return Object.freeze({ ...first, ...second, ...mergedRecord(first, second) });
}

/** A response that no model gave: somebody wrote it into the history. */
function isSynthetic(response: ModelResponse): boolean {
  return response.modelName === undefined && response.providerResponseId === undefined;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
