import { type OptionTable, passInstead } from '../../errors/check-options.ts';
import { showValue } from '../../errors/show-value.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Message } from '../../messages/message.ts';
import type { ResponsePart, ToolCallPart } from '../../messages/response-part.ts';
import type {
  ModelCall,
  ModelResponseData,
  ModelStreamEvent,
  PartDelta,
  StreamFinish,
} from '../model.ts';
import type { NativeTool, NativeToolKind } from '../native-tool.ts';

/**
 * A description of a response, as `says`, `calls`, `thinks` and `responds` create it.
 *
 * A test model converts it to a new response for every request, or to a stream.
 */
export interface ResponseDraft {
  readonly kind: 'response-draft';
  readonly parts: readonly DraftPart[];
  readonly fields: ResponseFields;
}

/** The fields of a response other than its parts. */
export type ResponseFields = Omit<ModelResponseData, 'parts'>;

/** A part of a {@link ResponseDraft}. */
export interface DraftPart {
  /** The part. A tool call without an id gets one in the response. */
  readonly part: Exclude<ResponsePart, ToolCallPart> | DraftToolCall;
  /** The pieces in which its text or arguments are streamed. Defaults to one piece. */
  readonly chunks?: readonly string[] | undefined;
}

/** A tool call whose id may be missing. */
export interface DraftToolCall extends Omit<ToolCallPart, 'toolCallId'> {
  readonly toolCallId?: string | undefined;
}

/** A value that can be converted to a response. A string is a response with that text. */
export type ResponseLike = string | ResponseDraft | ModelResponseData;

/** Converts a value to a draft. */
export function toDraft(response: ResponseLike): ResponseDraft {
  if (typeof response === 'string') {
    return {
      kind: 'response-draft',
      parts: [{ part: { kind: 'text', content: response } }],
      fields: {},
    };
  }
  requireDraft(response);
  if ('kind' in response) return response;
  const { parts, ...fields } = response;
  return { kind: 'response-draft', parts: parts.map((part) => ({ part })), fields };
}

/** Throws unless a value is a draft or the data of a response. Programs without types may return any value. */
function requireDraft(response: unknown): void {
  // A value without members has neither.
  const { kind, parts } = Object(response) as { readonly kind?: unknown; readonly parts?: unknown };
  if (Array.isArray(parts) && (kind === undefined || kind === 'response-draft')) return;
  throw new UserError(
    `The response of a test model is ${showValue(response)}. ` +
      passInstead(response, 'a text, or the result of `says`, `calls` or `responds`'),
  );
}

/** Converts a draft to a response. Copies its parts, because a run freezes them. */
export function draftToResponse(
  draft: ResponseDraft,
  modelName: string,
  nextId: NextCallId,
): ModelResponseData {
  const parts = draft.parts.map(({ part }) => completePart(part, nextId));
  return structuredClone({ modelName, ...draft.fields, parts });
}

/** Converts a draft to the events of a stream: each part from its start to its end, then the finish. */
export function* draftToEvents(
  draft: ResponseDraft,
  modelName: string,
  nextId: NextCallId,
): Generator<ModelStreamEvent, void> {
  for (const [index, part] of draft.parts.entries()) yield* partToEvents(part, index, nextId);
  yield finishEvent(draft.fields, modelName);
}

/**
 * Converts a part to events. The start contains the first piece, and the end contains the signature.
 *
 * Arguments are streamed as text, like those of providers.
 */
export function* partToEvents(
  draft: DraftPart,
  index: number,
  nextId: NextCallId,
): Generator<ModelStreamEvent, void> {
  const part = structuredClone(completePart(draft.part, nextId));
  const [first, ...rest] = draft.chunks ?? [];
  yield { kind: 'part-start', index, part: partAtStart(part, first) };
  for (const text of rest) yield deltaOf(part, index, text);
  const signature = part.kind === 'thinking' ? part.signature : undefined;
  yield { kind: 'part-done', index, ...(signature !== undefined && { fields: { signature } }) };
}

/** Creates the last event of a stream. */
export function finishEvent(fields: ResponseFields, modelName: string): StreamFinish {
  return structuredClone({ modelName, ...fields, kind: 'finish' as const });
}

/** Returns arguments as the text that a provider sends. */
export function argsText(args: object | string | null): string {
  if (args === null) return '';
  return typeof args === 'string' ? args : JSON.stringify(args);
}

function partAtStart(part: ResponsePart, first: string | undefined): ResponsePart {
  switch (part.kind) {
    case 'text':
      return { ...part, content: first ?? part.content };
    case 'thinking': {
      const { signature: _, ...unsigned } = part;
      return { ...unsigned, content: first ?? part.content };
    }
    case 'tool-call':
    case 'native-tool-call':
      return { ...part, args: first ?? argsText(part.args) };
    case 'native-tool-return':
    case 'file':
    case 'compaction':
    case 'speech':
      return part;
  }
}

function deltaOf(part: ResponsePart, index: number, text: string): PartDelta {
  if (part.kind === 'text') return { kind: 'text-delta', index, text };
  if (part.kind === 'thinking') return { kind: 'thinking-delta', index, text };
  return { kind: 'args-delta', index, text };
}

/** Adds an id to a tool call without one. */
function completePart(part: DraftPart['part'], nextId: NextCallId): ResponsePart {
  if (part.kind !== 'tool-call') return part;
  return { ...part, toolCallId: part.toolCallId ?? nextId() };
}

/** Returns the id of the next tool call without one. */
export type NextCallId = () => string;

/** Creates ids `call-1`, `call-2` and so on that continue those in the conversation. */
export function callIdsAfter(messages: readonly Message[]): NextCallId {
  let last: number | undefined;
  return () => {
    last = (last ?? lastCallNumber(messages)) + 1;
    return `call-${last}`;
  };
}

/** Returns the number of the last `call-…` in the conversation, or 0 if there is none. */
export function lastCallNumber(messages: readonly Message[]): number {
  // Numbers only increase, so the last response that has any contains the highest.
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.kind !== 'response') continue;
    let highest = 0;
    for (const part of message.parts) {
      if (part.kind === 'tool-call') highest = Math.max(highest, numberIn(part.toolCallId));
    }
    if (highest > 0) return highest;
  }
  return 0;
}

function numberIn(id: string): number {
  return Number(/^call-(\d{1,9})$/.exec(id)?.[1] ?? 0);
}

/** Creates a request to a model with empty defaults, to test a `Model` without a run. */
export function modelCall(fields: Partial<ModelCall> = {}): ModelCall {
  return {
    messages: [],
    instructions: undefined,
    functionTools: [],
    outputTools: [],
    nativeTools: [],
    allowText: true,
    outputSchema: undefined,
    settings: undefined,
    signal: new AbortController().signal,
    ...fields,
  };
}

/**
 * Copies a request with its lists, which the run extends later.
 *
 * The signal is read from the original request, because reading it creates one.
 */
export function copyModelCall(call: ModelCall): ModelCall {
  return {
    messages: [...call.messages],
    instructions: call.instructions,
    functionTools: [...call.functionTools],
    outputTools: [...call.outputTools],
    nativeTools: [...call.nativeTools],
    allowText: call.allowText,
    outputSchema: call.outputSchema,
    settings: call.settings,
    get signal() {
      return call.signal;
    },
  };
}

/** Options of a test model about tools that a provider executes. */
export interface NativeSupport {
  /** The kinds of native tools that the model supports. Defaults to none. */
  readonly supportsNative?: readonly NativeToolKind[] | undefined;
}

export const NATIVE_SUPPORT_OPTIONS: OptionTable<NativeSupport> = { supportsNative: 'list' };

/** Returns true if a test model supports a native tool. */
export function supportsNativeTool(
  { supportsNative = [] }: NativeSupport,
  tool: NativeTool,
): boolean {
  return supportsNative.includes(tool.kind);
}
