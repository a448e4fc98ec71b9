import type { PendingCall } from '../../deferred/pending-call.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import { isPlainObject } from '../../internal/json.ts';
import type { BinaryContent, UserContent, UserPrompt } from '../../messages/content.ts';
import type { Message, ModelRequest, ModelResponse } from '../../messages/message.ts';
import { isToolResult } from '../../messages/request-part.ts';
import type {
  NativeToolCallPart,
  ResponsePart,
  ToolCallPart,
} from '../../messages/response-part.ts';
import {
  callInput,
  callTitle,
  ClientCallIds,
  inputOfPending,
  outcomeOf,
  type ShownOutcome,
} from '../front-end/call-values.ts';
import { pendingIn, PROMPT_ID } from '../front-end/run-backend.ts';
import { approvalOf, automaticApprovalId, questionOf } from './call-chunks.ts';
import {
  QUESTION_TOOL,
  type UiFilePart,
  type UiMessage,
  type UiPart,
  type UiSourcePart,
  type UiTextPart,
  type UiToolState,
} from './ui-message.ts';

/** Options of {@link toUiMessages}. */
export interface ToUiMessagesOptions {
  /** The pending calls. By default they are read from the messages. */
  readonly requests?: DeferredToolRequests | undefined;
}

/**
 * Converts a history to messages for `useChat`: one for each prompt, and one for all responses to it. Pending calls are
 * approval requests. The result contains neither the step record nor other metadata of the messages.
 */
export function toUiMessages(
  messages: readonly Message[],
  { requests = pendingIn(messages) }: ToUiMessagesOptions = {},
): UiMessage[] {
  const builder = new MessagesBuilder();
  for (const [index, message] of messages.entries()) {
    if (message.kind === 'request') builder.addRequest(message, index);
    else builder.addResponse(message, index);
  }
  if (requests !== undefined) builder.addPending(requests);
  return builder.messages;
}

/** The position of a call in a message. */
interface CallPosition {
  readonly parts: UiPart[];
  readonly index: number;
  readonly input: unknown;
}

class MessagesBuilder {
  readonly messages: UiMessage[] = [];
  readonly #ids = new ClientCallIds();
  readonly #calls = new Map<string, CallPosition>();

  addRequest(message: ModelRequest, index: number): void {
    const parts: UiPart[] = [];
    for (const part of message.parts) {
      if (part.kind === 'user-prompt') parts.push(...uiPromptParts(part.content));
      if (part.kind === 'speech') parts.push({ type: 'text', text: part.transcript ?? '' });
      if (!isToolResult(part)) continue;
      const toolCallId = this.#ids.of(part.toolCallId);
      this.#change(toolCallId, (input) => toolPartState(toolCallId, input, outcomeOf(part)));
    }
    if (parts.length === 0) return;
    const id = message.metadata?.[PROMPT_ID];
    this.messages.push({
      id: typeof id === 'string' ? id : `prompt-${index}`,
      role: 'user',
      parts,
    });
  }

  addResponse(message: ModelResponse, index: number): void {
    const parts = this.#assistantParts(message.runId ?? `response-${index}`);
    parts.push({ type: 'step-start' });
    for (const part of message.parts) this.#addPart(parts, part);
    parts.push(...sourcesOf([message]));
  }

  addPending(requests: DeferredToolRequests): void {
    for (const call of requests) {
      const id = this.#ids.ofPending(call);
      if (call.path.length > 0) this.#addNested(call, id);
      else if (call.kind === 'question') this.#addQuestion(call, id);
      else this.#change(id, () => pendingState(call));
    }
  }

  /** Returns the parts of the assistant message that follows the last prompt. */
  #assistantParts(id: string): UiPart[] {
    const last = this.messages.at(-1);
    if (last?.role === 'assistant') return last.parts;
    const parts: UiPart[] = [];
    this.messages.push({ id, role: 'assistant', parts });
    return parts;
  }

  #addPart(parts: UiPart[], part: ResponsePart): void {
    switch (part.kind) {
      case 'text':
        parts.push({ type: 'text', text: part.content, state: 'done' });
        return;
      case 'thinking':
        parts.push({ type: 'reasoning', text: part.content, state: 'done' });
        return;
      case 'speech':
        if (part.transcript) parts.push({ type: 'text', text: part.transcript, state: 'done' });
        return;
      case 'file':
        parts.push(uiFilePart(part.content));
        return;
      case 'tool-call':
        this.#addCall(parts, part, this.#ids.add(part.toolCallId));
        return;
      case 'native-tool-call':
        this.#addCall(parts, part, part.toolCallId);
        return;
      case 'native-tool-return':
        this.#change(part.toolCallId, (input) =>
          toolPartState(part.toolCallId, input, outcomeOf(part)),
        );
        return;
      case 'compaction':
        return;
    }
  }

  #addCall(parts: UiPart[], part: ToolCallPart | NativeToolCallPart, toolCallId: string): void {
    const input = callInput(part);
    this.#calls.set(toolCallId, { parts, index: parts.length, input });
    parts.push({
      type: `tool-${part.toolName}`,
      toolCallId,
      ...(part.kind === 'native-tool-call' && { providerExecuted: true }),
      state: 'input-available',
      input,
    });
  }

  /** Adds the card of a sub-agent's call, and marks the outer call as approved automatically. */
  #addNested(call: PendingCall, toolCallId: string): void {
    const [outer] = call.path;
    if (outer === undefined) return;
    const outerId = this.#ids.of(outer.toolCallId);
    if (call.kind === 'question') {
      this.#addQuestion(call, outerId);
      return;
    }
    this.#approveAutomatically(outerId);
    const { toolName, path } = call;
    const card = { type: 'dynamic-tool', toolName, title: callTitle(path), toolCallId } as const;
    this.#partsOf(outerId, call).push({ ...card, ...pendingState(call) });
  }

  /** Adds the card of a question, and marks the call as approved automatically. */
  #addQuestion(call: PendingCall, callId: string): void {
    this.#approveAutomatically(callId);
    const { id, path } = call;
    this.#partsOf(callId, call).push({
      type: 'dynamic-tool',
      toolName: QUESTION_TOOL,
      ...(path.length > 0 && { title: callTitle(path) }),
      toolCallId: id,
      state: 'input-available',
      input: questionOf(call),
    });
  }

  #approveAutomatically(toolCallId: string): void {
    this.#change(toolCallId, (input) => ({
      state: 'approval-responded',
      input,
      approval: { id: automaticApprovalId(toolCallId), approved: true, isAutomatic: true },
    }));
  }

  #partsOf(toolCallId: string, call: PendingCall): UiPart[] {
    return this.#calls.get(toolCallId)?.parts ?? this.#assistantParts(call.id);
  }

  #change(toolCallId: string, change: (input: unknown) => UiToolState): void {
    const position = this.#calls.get(toolCallId);
    const part = position?.parts[position.index];
    if (position === undefined || part === undefined || !('toolCallId' in part)) return;
    const { type, providerExecuted } = part;
    // The states of both kinds of tool parts are equal, so the changed part has the type of the part.
    position.parts[position.index] = {
      type,
      toolCallId,
      ...(providerExecuted && { providerExecuted }),
      ...change(position.input),
    } as UiPart;
  }
}

function pendingState(call: PendingCall): UiToolState {
  const input = inputOfPending(call);
  return call.kind === 'approval'
    ? { state: 'approval-requested', input, approval: approvalOf(call) }
    : { state: 'input-available', input };
}

function toolPartState(toolCallId: string, input: unknown, outcome: ShownOutcome): UiToolState {
  switch (outcome.kind) {
    case 'output':
      return { state: 'output-available', input, output: outcome.output };
    case 'error':
      return { state: 'output-error', input, errorText: outcome.errorText };
    case 'denied': {
      const approval = { id: toolCallId, approved: false, reason: outcome.reason } as const;
      return { state: 'output-denied', input, approval };
    }
  }
}

/** Returns a file by value as a part with a `data:` address. */
export function uiFilePart({ data, mediaType }: BinaryContent): UiFilePart {
  return { type: 'file', url: `data:${mediaType};base64,${data}`, mediaType };
}

/** Returns the sources of responses. The AI SDK models store them in the details of the provider. */
export function sourcesOf(messages: readonly Message[]): UiSourcePart[] {
  return messages.flatMap((message) => {
    const sources = message.kind === 'response' ? message.providerDetails?.['sources'] : undefined;
    return Array.isArray(sources) ? sources.flatMap(sourcePart) : [];
  });
}

function sourcePart(source: unknown): UiSourcePart[] {
  if (!isPlainObject(source) || source['sourceType'] !== 'url') return [];
  const { id, url, title } = source;
  // A link that a model wrote must not execute code in the page.
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return [];
  return [
    {
      type: 'source-url',
      sourceId: typeof id === 'string' ? id : url,
      url,
      ...(typeof title === 'string' && { title }),
    },
  ];
}

/** Returns a prompt as parts. Ids of uploaded files and cache points mean nothing to a client. */
export function uiPromptParts(prompt: UserPrompt): (UiTextPart | UiFilePart)[] {
  if (typeof prompt === 'string') return [{ type: 'text', text: prompt }];
  return prompt.flatMap(contentPart);
}

const FILE_MEDIA_TYPES = {
  'image-url': 'image/*',
  'audio-url': 'audio/*',
  'video-url': 'video/*',
  'document-url': 'application/octet-stream',
} as const;

function contentPart(content: UserContent): (UiTextPart | UiFilePart)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  switch (content.kind) {
    case 'text-content':
      return [{ type: 'text', text: content.content }];
    case 'binary':
      return [uiFilePart(content)];
    case 'uploaded-file':
    case 'cache-point':
      return [];
    default: {
      const { kind, url, mediaType = FILE_MEDIA_TYPES[kind] } = content;
      return [{ type: 'file', url, mediaType }];
    }
  }
}
