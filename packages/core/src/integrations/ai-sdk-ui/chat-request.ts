import { isPlainObject } from '../../internal/json.ts';
import { ChatProblem } from '../front-end/chat-problem.ts';
import { readId } from '../front-end/read-id.ts';
import { type ReadPromptOptions, readPrompt } from '../front-end/read-prompt.ts';
import type { ChatPrompt } from '../front-end/chat-backend.ts';

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
export interface ClientToolPart {
  readonly toolCallId: string;
  readonly state: string;
  readonly approval: JsonRecord;
  readonly output: unknown;
  readonly errorText: unknown;
}

/** An assistant message as the client sent it. */
export interface ClientMessage {
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
