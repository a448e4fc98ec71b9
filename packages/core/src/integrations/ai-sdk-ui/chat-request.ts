import type { DecisionEntry, PendingCall } from '../../deferred/pending-call.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';
import { ToolFailed, ToolReturn } from '../../tools/signals.ts';
import type { ClientCallIds } from '../front-end/call-values.ts';
import type { ChatPrompt } from '../front-end/chat-backend.ts';
import {
  ChatProblem,
  readId,
  readPrompt,
  type ReadPromptOptions,
} from '../front-end/read-request.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** The members of a request that the handler uses. Everything else that the client sends is ignored. */
export interface ChatRequest {
  readonly chatId: string;
  /** The new prompt; absent if the last message is of the assistant. */
  readonly prompt: ChatPrompt | undefined;
  /** The tool parts of the assistant messages, as the client sent them. */
  readonly toolParts: readonly ClientToolPart[];
  /** The last assistant message of the client. */
  readonly last: ClientMessage | undefined;
  /** Edited arguments by the id of the pending call. */
  readonly edits: Readonly<Record<string, JsonRecord>>;
  /** The token of a sealed conversation. */
  readonly token: string | undefined;
}

/** A tool part as the client sent it. */
interface ClientToolPart {
  readonly toolCallId: string;
  readonly state: string;
  readonly approval: JsonRecord;
  readonly output: unknown;
  readonly errorText: unknown;
}

/** An assistant message as the client sent it. */
interface ClientMessage {
  readonly id: string;
  readonly steps: number;
  /** The ids of the calls of the last step that the client shows as decided. */
  readonly decided: readonly string[];
}

/** Reads the request of a client. */
export function readChatRequest(body: JsonRecord, options: ReadPromptOptions): ChatRequest {
  const { id, messages, trigger } = body;
  if (trigger === 'regenerate-message') {
    throw new ChatProblem(400, 'Responses cannot be generated again. Send a new message.');
  }
  if (!Array.isArray(messages)) throw new ChatProblem(400, 'The request has no list of messages.');
  const known = messages.filter(isPlainObject);
  const last = known.at(-1);
  const assistant = known.filter(({ role }) => role === 'assistant');
  const toolParts = assistant.flatMap(toolPartsOf);
  return {
    chatId: readId(id),
    prompt:
      last?.['role'] === 'user'
        ? { id: readId(last['id']), content: readPrompt(last['parts'], options) }
        : undefined,
    toolParts,
    last: clientMessage(assistant.at(-1)),
    edits: readEdits(body['edits'], toolParts),
    token: tokenIn(assistant),
  };
}

/** Reads edited arguments. If an edit were ignored, its call would execute with the arguments of the model. */
function readEdits(
  edits: unknown,
  toolParts: readonly ClientToolPart[],
): Readonly<Record<string, JsonRecord>> {
  if (edits === undefined) return {};
  const known = new Set(toolParts.map(({ approval }) => approval['id']));
  const read: Record<string, JsonRecord> = Object.create(null);
  for (const [id, args] of Object.entries(isPlainObject(edits) ? edits : { edits })) {
    if (!known.has(id) || !isPlainObject(args)) {
      const expected =
        'Pass edited arguments as objects in `edits`, by the `approval.id` of their calls.';
      throw new ChatProblem(
        400,
        `The edit \`${id}\` is invalid, so nothing was decided. ${expected}`,
      );
    }
    read[id] = args;
  }
  return read;
}

function toolPartsOf(message: JsonRecord): ClientToolPart[] {
  const parts = messageParts(message);
  return parts.flatMap((part) => {
    const { toolCallId, state, approval, output, errorText } = part;
    if (typeof toolCallId !== 'string' || typeof state !== 'string') return [];
    return [
      { toolCallId, state, approval: isPlainObject(approval) ? approval : {}, output, errorText },
    ];
  });
}

function messageParts({ parts }: JsonRecord): JsonRecord[] {
  return Array.isArray(parts) ? parts.filter(isPlainObject) : [];
}

function clientMessage(message: JsonRecord | undefined): ClientMessage | undefined {
  if (message === undefined || typeof message['id'] !== 'string') return undefined;
  const parts = messageParts(message);
  const lastStep = parts.findLastIndex(({ type }) => type === 'step-start');
  const decided = toolPartsOf({ parts: parts.slice(lastStep + 1) })
    .filter(({ state }) => state === 'approval-responded')
    .map(({ toolCallId }) => toolCallId);
  return {
    id: message['id'],
    steps: parts.filter(({ type }) => type === 'step-start').length,
    decided,
  };
}

/** Returns the token of the latest message that has one. */
function tokenIn(messages: readonly JsonRecord[]): string | undefined {
  const tokens = messages.map(({ metadata }) =>
    isPlainObject(metadata) ? metadata['holdpoint'] : undefined,
  );
  return tokens.findLast((token) => typeof token === 'string');
}

/**
 * Returns the decisions and results that a client sent for calls that are pending here. The calls, their arguments and
 * their digests are those of the server; everything else that the client sent about them is ignored.
 */
export function readDecisions(
  { toolParts, edits }: ChatRequest,
  requests: DeferredToolRequests,
  ids: ClientCallIds,
): DecisionEntry[] {
  const readDecision = (call: PendingCall): DecisionEntry | undefined => {
    switch (call.kind) {
      case 'approval':
        return readApproval(call, toolParts, edits);
      case 'question':
        return readInput(call, toolParts);
      case 'external':
        return readResult(call, toolParts, ids.ofPending(call));
    }
  };
  return [...requests].flatMap((call) => {
    const entry = readDecision(call);
    return entry === undefined ? [] : [entry];
  });
}

function readApproval(
  call: PendingCall,
  parts: readonly ClientToolPart[],
  edits: ChatRequest['edits'],
): DecisionEntry | undefined {
  const part = parts.findLast(
    ({ state, approval }) => state === 'approval-responded' && approval['id'] === call.id,
  );
  const { approved, reason: given } = part?.approval ?? {};
  const reason = typeof given === 'string' && given !== '' ? given : undefined;
  if (approved === false) return call.deny(reason);
  if (approved !== true) return undefined;
  // The edit was parsed from JSON, and the run validates it before the call executes.
  const args = edits[call.id] as JsonObject | undefined;
  return call.approve({ reason, ...(args && { args }) });
}

/** Reads the input for a question. The part of a question has the id of the question. */
function readInput(call: PendingCall, parts: readonly ClientToolPart[]): DecisionEntry | undefined {
  const part = parts.findLast((one) => one.toolCallId === call.id);
  // The input was parsed from JSON, and the handler validates it against the schema of the question.
  if (part?.state === 'output-available') return call.respond((part.output ?? null) as JsonValue);
  if (part?.state !== 'output-error') return undefined;
  return call.deny(typeof part.errorText === 'string' ? part.errorText : undefined);
}

function readResult(
  call: PendingCall,
  parts: readonly ClientToolPart[],
  toolCallId: string,
): DecisionEntry | undefined {
  const part = parts.findLast((one) => one.toolCallId === toolCallId);
  if (part?.state === 'output-available') {
    // A plain value could pass for a retry prompt; a `ToolReturn` is always a result.
    return call.resolve(new ToolReturn({ returnValue: part.output ?? null }));
  }
  if (part?.state !== 'output-error') return undefined;
  const { errorText } = part;
  return call.resolve(
    new ToolFailed(typeof errorText === 'string' ? errorText : 'The call failed.'),
  );
}
