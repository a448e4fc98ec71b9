import type { RunEvent } from '../../events/run-events.ts';
import type { ToolResultPart } from '../../messages/request-part.ts';
import type {
  CallFields,
  NativeToolReturnPart,
  ResponsePart,
  ToolCallPart,
} from '../../messages/response-part.ts';
import { outcomeOf } from '../front-end/call-values.ts';
import type { AgUiAttribution, AgUiEvent, AgUiToolCallEvent, AgUiToolMessage } from './protocol.ts';

/** A part of a response that is not complete. */
type OpenMessage =
  | { readonly kind: 'text' }
  | { readonly kind: 'reasoning'; readonly id: string; isStarted: boolean }
  | { readonly kind: 'call'; readonly id: string };

/** An event of a part of a response. */
type ResponseEvent = Extract<
  RunEvent,
  { kind: 'response-start' | 'part-start' | 'part-end' | `${string}-delta` }
>;

/** Converts the responses of the run itself or of one sub-agent to events. */
export class ResponseFold {
  readonly #tag: AgUiAttribution;
  readonly #callId: (part: ToolCallPart) => string;
  readonly #parts = new Map<number, OpenMessage>();
  readonly #responses = new Set<string>();
  #response = '';
  #isTextOpen = false;

  /** `callId` returns the id that a new call has in the client. */
  constructor(tag: AgUiAttribution, callId: (part: ToolCallPart) => string) {
    this.#tag = tag;
    this.#callId = callId;
  }

  /** The message id of the current response. */
  get messageId(): string {
    return this.#response;
  }

  add(event: ResponseEvent): AgUiEvent[] {
    switch (event.kind) {
      case 'response-start':
        return [...this.close(), ...this.#start(`${event.runId}.${event.runStep}`)];
      case 'part-start':
        return this.#startPart(event.index, event.part);
      case 'text-delta':
        return this.#addText(event.text);
      case 'thinking-delta':
        return this.#addReasoning(event.index, event.text);
      case 'args-delta': {
        const part = this.#parts.get(event.index);
        if (part?.kind !== 'call' || event.text === '') return [];
        return [this.#tagged({ type: 'TOOL_CALL_ARGS', toolCallId: part.id, delta: event.text })];
      }
      case 'part-end':
        return this.#endPart(event.index, event.part);
    }
  }

  /** Returns the events that end the parts of a response that broke off. */
  close(): AgUiEvent[] {
    const events = [...this.#parts].flatMap(([index, part]) => {
      this.#parts.delete(index);
      return part.kind === 'call' ? this.#breakOff(part.id) : this.#endOpen(part);
    });
    return [...events, ...this.#endText()];
  }

  #start(response: string): AgUiEvent[] {
    // A response that is requested again must not continue the text of the one that broke off.
    let id = response;
    for (let attempt = 2; this.#responses.has(id); attempt += 1) id = `${response}~${attempt}`;
    this.#responses.add(id);
    this.#response = id;
    return [];
  }

  #startPart(index: number, part: ResponsePart): AgUiEvent[] {
    switch (part.kind) {
      case 'text':
        this.#parts.set(index, { kind: 'text' });
        return [];
      case 'thinking': {
        const id = reasoningId(this.#response, index);
        this.#parts.set(index, { kind: 'reasoning', id, isStarted: false });
        return [];
      }
      case 'tool-call':
        return this.#startCall(index, part, this.#callId(part));
      case 'native-tool-call':
        return this.#startCall(index, part, part.toolCallId);
      default:
        return [];
    }
  }

  #startCall(index: number, { toolName, args }: CallFields, toolCallId: string): AgUiEvent[] {
    this.#parts.set(index, { kind: 'call', id: toolCallId });
    const parentMessageId = this.#response;
    const events = [
      this.#tagged({
        type: 'TOOL_CALL_START',
        toolCallId,
        toolCallName: toolName,
        parentMessageId,
      }),
    ];
    if (typeof args === 'object' && args !== null) {
      events.push(this.#tagged({ type: 'TOOL_CALL_ARGS', toolCallId, delta: callArgsText(args) }));
    }
    return events;
  }

  #addText(delta: string): AgUiEvent[] {
    // Clients reject empty deltas.
    if (delta === '') return [];
    const messageId = this.#response;
    const content = this.#tagged({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta });
    if (this.#isTextOpen) return [content];
    this.#isTextOpen = true;
    return [this.#tagged({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }), content];
  }

  #addReasoning(index: number, delta: string): AgUiEvent[] {
    const part = this.#parts.get(index);
    if (part?.kind !== 'reasoning' || delta === '') return [];
    const messageId = part.id;
    const content = this.#tagged({ type: 'REASONING_MESSAGE_CONTENT', messageId, delta });
    if (part.isStarted) return [content];
    part.isStarted = true;
    return [
      this.#tagged({ type: 'REASONING_START', messageId }),
      this.#tagged({ type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' }),
      content,
    ];
  }

  #endPart(index: number, part: ResponsePart): AgUiEvent[] {
    const open = this.#parts.get(index);
    this.#parts.delete(index);
    if (part.kind === 'speech')
      return [...this.#addText(part.transcript ?? ''), ...this.#endText()];
    if (part.kind === 'native-tool-return') return [resultEvent(part.toolCallId, part, this.#tag)];
    return open === undefined ? [] : this.#endOpen(open);
  }

  #endOpen(part: OpenMessage): AgUiEvent[] {
    switch (part.kind) {
      case 'text':
        return this.#endText();
      case 'reasoning':
        if (!part.isStarted) return [];
        return [
          this.#tagged({ type: 'REASONING_MESSAGE_END', messageId: part.id }),
          this.#tagged({ type: 'REASONING_END', messageId: part.id }),
        ];
      case 'call':
        return [this.#tagged({ type: 'TOOL_CALL_END', toolCallId: part.id })];
    }
  }

  #endText(): AgUiEvent[] {
    if (!this.#isTextOpen || [...this.#parts.values()].some(({ kind }) => kind === 'text'))
      return [];
    this.#isTextOpen = false;
    return [this.#tagged({ type: 'TEXT_MESSAGE_END', messageId: this.#response })];
  }

  /** Ends a call whose arguments are incomplete, so that no client waits for its result. */
  #breakOff(toolCallId: string): AgUiEvent[] {
    return [
      this.#tagged({ type: 'TOOL_CALL_END', toolCallId }),
      this.#tagged({
        type: 'TOOL_CALL_RESULT',
        messageId: resultId(toolCallId),
        toolCallId,
        content: 'The response broke off before the call was complete.',
        role: 'tool',
        metadata: { holdpoint: { outcome: 'interrupted' } },
      }),
    ];
  }

  #tagged(event: AgUiEvent): AgUiEvent {
    return { ...event, ...this.#tag };
  }
}

/** Returns the id of the message with a thinking part. */
export function reasoningId(response: string, index: number): string {
  return `${response}.thinking.${index}`;
}

/** A call as a client shows it. */
interface ShownCall extends AgUiAttribution {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
  readonly parentMessageId?: string;
}

/** Returns the events of a call that did not stream. */
export function wholeCallEvents(call: ShownCall): (AgUiToolCallEvent & AgUiAttribution)[] {
  const { toolCallId, toolName, args, parentMessageId, subagentRunId } = call;
  const tag = subagentRunId !== undefined && { subagentRunId };
  const parent = parentMessageId !== undefined && { parentMessageId };
  return [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName: toolName, ...parent, ...tag },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: callArgsText(args), ...tag },
    { type: 'TOOL_CALL_END', toolCallId, ...tag },
  ];
}

/** Returns arguments as text: JSON, or the text that the model sent. */
export function callArgsText(args: unknown): string {
  return typeof args === 'string' && args !== '' ? args : JSON.stringify(args || {});
}

/** Returns the result of a call as a message. */
export function resultMessage(
  toolCallId: string,
  part: ToolResultPart | NativeToolReturnPart,
): AgUiToolMessage {
  const outcome = outcomeOf(part);
  const message = { id: resultId(toolCallId), role: 'tool', toolCallId } as const;
  switch (outcome.kind) {
    case 'output':
      return { ...message, content: resultText(outcome.output) };
    case 'error':
      return { ...message, content: outcome.errorText, error: outcome.errorText };
    case 'denied':
      return { ...message, content: outcome.reason, error: outcome.reason };
  }
}

/** Returns the result of a call as an event. */
export function resultEvent(
  toolCallId: string,
  part: ToolResultPart | NativeToolReturnPart,
  tag: AgUiAttribution = {},
): AgUiToolCallEvent & AgUiAttribution {
  const { id: messageId, role, content } = resultMessage(toolCallId, part);
  const outcome = part.kind === 'retry-prompt' ? 'retry' : part.outcome;
  const metadata = outcome !== 'success' && { metadata: { holdpoint: { outcome } } };
  return { type: 'TOOL_CALL_RESULT', messageId, toolCallId, content, role, ...metadata, ...tag };
}

/** Returns the id of the message with the result of a call. */
function resultId(toolCallId: string): string {
  return `result:${toolCallId}`;
}

function resultText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
