import {
  type ApprovalDecision,
  ToolApproved,
  ToolDenied,
  toApprovalDecision,
} from '../../deferred/decisions.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import type { DeferredToolResults } from '../../deferred/results.ts';
import type { RunEvent, SubAgentEvent } from '../../events/run-events.ts';
import { lastResponse } from '../../messages/message.ts';
import type { ToolResultPart } from '../../messages/request-part.ts';
import type { ResponsePart, ToolCallPart } from '../../messages/response-part.ts';
import { ModelRetry } from '../../tools/signals.ts';
import { callInput, callTitle, type ClientCallIds, outcomeOf } from '../front-end/call-values.ts';
import type { ChatEvent, ChatResult } from '../front-end/chat-backend.ts';
import { outcomeChunk, requestChunks } from './call-chunks.ts';
import type { UiCallFields, UiFinishReason, UiMessageChunk } from './ui-message.ts';
import { sourcesOf, uiFilePart } from './ui-messages.ts';

/** The pending calls that a stream continues with. */
export interface ResumedCalls {
  /** The pending calls. The message in the client contains them already. */
  readonly requests: DeferredToolRequests;
  /** The decisions and results that the run resumes with. */
  readonly results: DeferredToolResults;
}

/** The state that a {@link ChunkFold} starts with. */
export interface ChunkFoldOptions {
  readonly ids: ClientCallIds;
  readonly resumed?: ResumedCalls | undefined;
}

const NONE: readonly UiMessageChunk[] = [];

const BROKEN_OFF = {
  kind: 'error',
  errorText: 'The response broke off before the call was complete.',
} as const;

/** A part of a response that is not complete. */
interface OpenPart {
  /** The id of the text, or of the call. */
  readonly id: string;
  /** The chunk that ends the part if the response breaks off. */
  readonly abort: UiMessageChunk;
}

/** Converts the events of a run to chunks, one event at a time. */
export class ChunkFold {
  readonly ids: ClientCallIds;
  /** The calls whose part the client has. */
  readonly #known = new Set<string>();
  /** The calls whose input the client has. */
  readonly #announced = new Set<string>();
  readonly #invalid = new Map<string, UiCallFields & { readonly input: unknown }>();
  /** The decided calls that the client shows as decided, with true for approved ones. */
  readonly #decidedParts = new Map<string, boolean>();
  /** The parts of the current response that are not complete, by index. */
  readonly #parts = new Map<number, OpenPart>();
  #response = '';
  #isStepOpen = false;
  #stepHasCalls = false;
  #requests: DeferredToolRequests | undefined;
  #finishReason: UiFinishReason = 'stop';

  constructor({ ids, resumed }: ChunkFoldOptions) {
    this.ids = ids;
    if (resumed !== undefined) this.#resume(resumed);
  }

  /** Returns whether the client has the input of a call. */
  readonly hasInput = (id: string): boolean => this.#announced.has(id);

  /** Returns the chunks for an event. */
  add(event: ChatEvent): readonly UiMessageChunk[] {
    switch (event.kind) {
      case 'text-delta':
      case 'thinking-delta': {
        const type = event.kind === 'text-delta' ? 'text-delta' : 'reasoning-delta';
        return [{ type, id: this.#partId(event.index), delta: event.text }];
      }
      case 'args-delta': {
        const toolCallId = this.#partId(event.index);
        return [{ type: 'tool-input-delta', toolCallId, inputTextDelta: event.text }];
      }
      case 'response-start':
        return this.#startResponse(`${event.runId}.${event.runStep}`);
      case 'part-start':
        return this.#startPart(event.index, event.part);
      case 'part-end':
        return this.#endPart(event.index, event.part);
      case 'tool-call':
      case 'output-tool-call':
        return this.#announce(this.ids.of(event.part.toolCallId), event.part, event.argsValid);
      case 'tool-result':
      case 'output-tool-result':
        return this.#settleWithNested(this.ids.of(event.part.toolCallId), event.part);
      case 'sub-agent-event':
        return this.#addNested(event.path, event.event);
      case 'deferred-requests':
        this.#requests = event.requests;
        return NONE;
      case 'deferred-results':
        return this.#decideAutomatically(event.results);
      case 'run-result':
        return this.#end(event.result);
      case 'final-result':
      case 'tools-available':
        return NONE;
    }
  }

  /** Returns the chunks that end the stream after the last event. */
  finish(): readonly UiMessageChunk[] {
    const chunks: UiMessageChunk[] = [];
    if (this.#isStepOpen) chunks.push({ type: 'finish-step' });
    chunks.push({ type: 'finish', finishReason: this.#reasonForClient() });
    return chunks;
  }

  /**
   * Returns the finish reason. `useChat` may send its messages again when a stream ends: if a call of the last step is
   * decided without a result, or if all of its calls have results. `interrupted` prevents that.
   */
  #reasonForClient(): UiFinishReason {
    const isRepeated = this.#finishReason === 'stop' && this.#stepHasCalls;
    return isRepeated || this.#decidedParts.size > 0 ? 'interrupted' : this.#finishReason;
  }

  #resume({ requests, results }: ResumedCalls): void {
    this.#stepHasCalls = true;
    for (const call of requests) {
      const id = this.ids.ofPending(call);
      // The client has no part for the call of a nested question, unless the sub-agent emitted events.
      if (call.kind !== 'question' || call.path.length === 0) this.#see(id);
      const outer = call.path[0];
      if (outer !== undefined) this.#see(this.ids.of(outer.toolCallId));
      const decision = results.approvals[call.key];
      if (decision === undefined) continue;
      this.#decidedParts.set(id, !isRejection(decision));
    }
  }

  #see(id: string): void {
    this.#known.add(id);
    this.#announced.add(id);
  }

  #startResponse(response: string): readonly UiMessageChunk[] {
    const chunks: UiMessageChunk[] = [];
    // Parts without an end belong to a response that broke off. The client keeps the text that it received.
    for (const { abort } of this.#parts.values()) chunks.push(abort);
    this.#parts.clear();
    if (this.#isStepOpen) chunks.push({ type: 'finish-step' });
    chunks.push({ type: 'start-step' });
    this.#isStepOpen = true;
    this.#stepHasCalls = false;
    this.#response = response;
    return chunks;
  }

  #partId(index: number): string {
    return this.#parts.get(index)?.id ?? `${this.#response}.${index}`;
  }

  #startPart(index: number, part: ResponsePart): readonly UiMessageChunk[] {
    if (part.kind === 'text' || part.kind === 'thinking') {
      const id = `${this.#response}.${index}`;
      const type = part.kind === 'text' ? 'text' : 'reasoning';
      this.#parts.set(index, { id, abort: { type: `${type}-end`, id } });
      return [{ type: `${type}-start`, id }];
    }
    if (part.kind !== 'tool-call' && part.kind !== 'native-tool-call') return NONE;
    const isNative = part.kind === 'native-tool-call';
    const toolCallId = isNative ? part.toolCallId : this.ids.add(part.toolCallId);
    const abort = outcomeChunk(toolCallId, BROKEN_OFF);
    this.#parts.set(index, { id: toolCallId, abort });
    this.#known.add(toolCallId);
    // The latest call with an id of the provider counts.
    this.#announced.delete(toolCallId);
    if (!isNative) this.#stepHasCalls = true;
    const native = isNative && { providerExecuted: true };
    return [{ type: 'tool-input-start', toolCallId, toolName: part.toolName, ...native }];
  }

  #endPart(index: number, part: ResponsePart): readonly UiMessageChunk[] {
    const id = this.#partId(index);
    this.#parts.delete(index);
    switch (part.kind) {
      case 'text':
        return [{ type: 'text-end', id }];
      case 'thinking':
        return [{ type: 'reasoning-end', id }];
      case 'file':
        return [{ ...uiFilePart(part.content) }];
      case 'speech':
        return textChunks(id, part.transcript);
      case 'native-tool-call': {
        const { toolName } = part;
        const input = callInput(part);
        return [
          { type: 'tool-input-available', toolCallId: id, toolName, input, providerExecuted: true },
        ];
      }
      case 'native-tool-return':
        if (!this.#known.has(part.toolCallId)) return NONE;
        return [outcomeChunk(part.toolCallId, outcomeOf(part), true)];
      case 'tool-call':
      case 'compaction':
        return NONE;
    }
  }

  /** Shows the input of a call, once. A second time would call `onToolCall` of the client again. */
  #announce(
    toolCallId: string,
    part: ToolCallPart,
    argsValid: boolean | undefined,
    nested?: Pick<UiCallFields, 'dynamic' | 'title'>,
  ): readonly UiMessageChunk[] {
    if (this.#announced.has(toolCallId)) return NONE;
    this.#see(toolCallId);
    const call = { toolCallId, toolName: part.toolName, input: callInput(part), ...nested };
    if (argsValid === false) {
      this.#invalid.set(toolCallId, call);
      return NONE;
    }
    return [{ type: 'tool-input-available', ...call }];
  }

  #settle(toolCallId: string, part: ToolResultPart): readonly UiMessageChunk[] {
    // Results of calls that belong to an earlier message of the client reach it with the next load.
    if (!this.#known.has(toolCallId)) return NONE;
    this.#decidedParts.delete(toolCallId);
    const outcome = outcomeOf(part);
    const invalid = this.#invalid.get(toolCallId);
    if (invalid === undefined || outcome.kind !== 'error')
      return [outcomeChunk(toolCallId, outcome)];
    this.#invalid.delete(toolCallId);
    return [{ type: 'tool-input-error', ...invalid, errorText: outcome.errorText }];
  }

  /** Settles a call and, if it started a sub-agent, the decided calls of the sub-agent that emitted no result. */
  #settleWithNested(toolCallId: string, part: ToolResultPart): readonly UiMessageChunk[] {
    const chunks: UiMessageChunk[] = [];
    for (const [id, isApproved] of this.#decidedParts) {
      if (!id.startsWith(`${toolCallId}/`)) continue;
      this.#decidedParts.delete(id);
      const outcome = isApproved
        ? ({ kind: 'output', output: null } as const)
        : ({ kind: 'denied', reason: '' } as const);
      chunks.push(outcomeChunk(id, outcome));
    }
    return [...chunks, ...this.#settle(toolCallId, part)];
  }

  #addNested(path: SubAgentEvent['path'], event: RunEvent): readonly UiMessageChunk[] {
    const [outer] = path;
    // The sub-agent of a hook belongs to no call.
    if (outer === undefined) return NONE;
    switch (event.kind) {
      case 'tool-call': {
        const id = this.ids.nested(path, event.part.toolCallId);
        const nested = { dynamic: true, title: callTitle(path) };
        return this.#announce(id, event.part, event.argsValid, nested);
      }
      case 'tool-result':
        return this.#settle(this.ids.nested(path, event.part.toolCallId), event.part);
      case 'text-delta': {
        const toolCallId = this.ids.of(outer.toolCallId);
        const data = { toolCallId, path: path.map(({ toolName }) => toolName), delta: event.text };
        return [{ type: 'data-sub-agent-text', data, transient: true }];
      }
      default:
        return NONE;
    }
  }

  /** Shows the decisions of handlers, which no user made in this message. */
  #decideAutomatically(results: DeferredToolResults): readonly UiMessageChunk[] {
    const chunks: UiMessageChunk[] = [];
    for (const call of this.#requests ?? []) {
      const decision = results.approvals[call.key];
      if (decision === undefined || call.path.length > 0) continue;
      const given = toApprovalDecision(decision);
      const isApproved = given instanceof ToolApproved;
      if (!isApproved && !(given instanceof ToolDenied)) continue;
      const toolCallId = this.ids.ofPending(call);
      chunks.push(...this.#announce(toolCallId, call.part, true));
      chunks.push(
        { type: 'tool-approval-request', approvalId: call.id, toolCallId, isAutomatic: true },
        { type: 'tool-approval-response', approvalId: call.id, approved: isApproved },
      );
      this.#decidedParts.set(toolCallId, isApproved);
    }
    return chunks;
  }

  #end(result: ChatResult): readonly UiMessageChunk[] {
    if (result.status === 'parked') {
      this.#finishReason = 'tool-calls';
      const chunks = requestChunks(result.output, this);
      for (const call of result.output) this.#decidedParts.delete(this.ids.ofPending(call));
      return chunks;
    }
    const response = lastResponse(result.messages);
    this.#finishReason = CHUNK_FINISH_REASONS[response?.finishReason ?? 'stop'];
    return sourcesOf(result.newMessages);
  }
}

const CHUNK_FINISH_REASONS: Readonly<
  Record<'stop' | 'length' | 'content_filter' | 'tool_call' | 'error', UiFinishReason>
> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  // The run has ended, so the calls of its last response have results.
  tool_call: 'stop',
  error: 'error',
};

/** Returns whether an approver decided against the execution of a call. */
function isRejection(given: ApprovalDecision): boolean {
  const decision = toApprovalDecision(given);
  return decision instanceof ToolDenied || decision instanceof ModelRetry;
}

function textChunks(id: string, text: string | undefined): readonly UiMessageChunk[] {
  if (text === undefined || text === '') return NONE;
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: text },
    { type: 'text-end', id },
  ];
}
