import { UserError } from '../../errors/user-errors.ts';
import { isPlainObject } from '../../internal/json.ts';
import type { UserContent, UserPrompt } from '../../messages/content.ts';
import type { JsonSchema } from '../../models/tool-definition.ts';
import { type ExternalTool, ExternalToolset } from '../../toolsets/external-toolset.ts';
import {
  ChatProblem,
  readId,
  readPrompt,
  type ReadPromptOptions,
} from '../front-end/read-request.ts';
import type { AgUiContentPart } from './protocol.ts';

type InputRecord = Readonly<Record<string, unknown>>;

/** The run of a client that events belong to. */
export interface ClientRun {
  readonly threadId: string;
  readonly runId: string;
  readonly protocolVersion: string | undefined;
}

/** The members of a `RunAgentInput` that the handler uses. Everything else that the client sends is ignored. */
export interface RunInput extends ClientRun {
  /** The user messages after the last message of another role. */
  readonly prompts: readonly ClientPrompt[];
  /** The tool messages, by the id of their call. */
  readonly results: ReadonlyMap<string, InputRecord>;
  /** The decisions, by the id of the interrupt; `undefined` for an id with several decisions. */
  readonly resume: ReadonlyMap<string, ClientDecision | undefined>;
  readonly tools: readonly unknown[];
  /** The state of the client. It contains the token of a sealed conversation. */
  readonly state: InputRecord;
}

/** A user message as the client sent it. */
interface ClientPrompt {
  readonly id: string;
  readonly content: unknown;
}

/** An entry of `resume` as the client sent it. */
export interface ClientDecision {
  readonly status: unknown;
  readonly payload: unknown;
}

/** The member of the client's state with the token of a sealed conversation. */
export const TOKEN = 'holdpoint';

/** Reads the request of a client. */
export function readRunInput(body: InputRecord): RunInput {
  const { threadId, runId, protocolVersion, messages, resume = [], tools = [], state } = body;
  if (!Array.isArray(messages)) throw new ChatProblem(400, 'The request has no list of messages.');
  if (!Array.isArray(resume)) throw new ChatProblem(400, '`resume` is not a list.');
  if (!Array.isArray(tools)) throw new ChatProblem(400, '`tools` is not a list.');
  const known = messages.filter(isPlainObject);
  return {
    threadId: readId(threadId),
    runId: readId(runId),
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : undefined,
    prompts: trailingPrompts(known),
    results: resultsIn(known),
    resume: decisionsIn(resume.filter(isPlainObject)),
    tools,
    state: isPlainObject(state) ? state : {},
  };
}

/** Returns the token of a sealed conversation. */
export function tokenOfInput({ state }: RunInput): string | undefined {
  const token = state[TOKEN];
  return typeof token === 'string' ? token : undefined;
}

function trailingPrompts(messages: readonly InputRecord[]): ClientPrompt[] {
  const start = messages.findLastIndex(({ role }) => role !== 'user') + 1;
  return messages.slice(start).map(({ id, content }) => ({ id: readId(id), content }));
}

function resultsIn(messages: readonly InputRecord[]): Map<string, InputRecord> {
  const results = new Map<string, InputRecord>();
  for (const message of messages) {
    const { role, toolCallId } = message;
    if (role === 'tool' && typeof toolCallId === 'string') results.set(toolCallId, message);
  }
  return results;
}

function decisionsIn(resume: readonly InputRecord[]): Map<string, ClientDecision | undefined> {
  const decisions = new Map<string, ClientDecision | undefined>();
  for (const { interruptId, status, payload } of resume) {
    if (typeof interruptId !== 'string') continue;
    // Two decisions about one call contradict each other, so neither applies.
    decisions.set(interruptId, decisions.has(interruptId) ? undefined : { status, payload });
  }
  return decisions;
}

/** Returns prompts as the content of a user message. Ids of uploaded files and cache points mean nothing to a client. */
export function promptContent(prompts: readonly UserPrompt[]): string | AgUiContentPart[] {
  const contents = prompts.flatMap((prompt): readonly UserContent[] =>
    typeof prompt === 'string' ? [prompt] : prompt,
  );
  const parts = contents.flatMap(contentPartOf);
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('') : parts;
}

function contentPartOf(content: UserContent): AgUiContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  switch (content.kind) {
    case 'text-content':
      return [{ type: 'text', text: content.content }];
    case 'binary': {
      const { data, mediaType } = content;
      const source = { type: 'data', value: data, mimeType: mediaType } as const;
      return [{ type: mediaKind(mediaType), source }];
    }
    case 'uploaded-file':
    case 'cache-point':
      return [];
    default: {
      const { kind, url, mediaType } = content;
      const type = kind === 'document-url' ? 'document' : mediaKind(kind.replace('-url', '/'));
      const mimeType = mediaType !== undefined && { mimeType: mediaType };
      return [{ type, source: { type: 'url', value: url, ...mimeType } }];
    }
  }
}

function mediaKind(mediaType: string): 'image' | 'audio' | 'video' | 'document' {
  const [kind] = mediaType.split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

/** Reads the content of a message of the client: text, or parts with text and files. */
export function readPromptContent(content: unknown, options: ReadPromptOptions): UserPrompt {
  if (typeof content === 'string') return readPrompt([{ type: 'text', text: content }], options);
  if (!Array.isArray(content)) throw new ChatProblem(400, 'A message has no content.');
  return readPrompt(content.filter(isPlainObject).map(toFilePart), options);
}

/** Returns a part in the form that `readPrompt` expects: files have an address, which may be a `data:` address. */
function toFilePart(part: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (part['type'] === 'text') return part;
  // Clients before 1.0 send `binary` parts, whose source is the part itself.
  const source = isPlainObject(part['source']) ? part['source'] : part;
  const { value, data = value, url = value, mimeType, type } = source;
  const isData = type === 'data' || (type === 'binary' && typeof data === 'string');
  const mediaType = typeof mimeType === 'string' ? mimeType : undefined;
  if (!isData) return { type: 'file', url, mediaType };
  return { type: 'file', url: `data:${mediaType ?? ''};base64,${String(data)}`, mediaType };
}

const MAX_CLIENT_TOOLS = 128;

/**
 * Returns the tools that the client executes. Their calls are external, so the client can supply
 * only their results. A run rejects a tool that has the name of another tool.
 */
export function readClientTools(tools: readonly unknown[]): ExternalToolset | undefined {
  if (tools.length === 0) return undefined;
  if (tools.length > MAX_CLIENT_TOOLS)
    throw new ChatProblem(400, `Send at most ${MAX_CLIENT_TOOLS} tools.`);
  try {
    return new ExternalToolset(tools.map(readTool), { id: 'client' });
  } catch (error) {
    // The message names only data of the client.
    if (error instanceof UserError) throw new ChatProblem(400, error.message);
    throw error;
  }
}

function readTool(tool: unknown): ExternalTool {
  const { name, description, parameters } = isPlainObject(tool) ? tool : {};
  if (typeof name !== 'string') throw new ChatProblem(400, 'A tool has no name.');
  return {
    name,
    ...(typeof description === 'string' && { description }),
    // The schema was parsed from JSON.
    parametersJsonSchema: isPlainObject(parameters)
      ? (parameters as JsonSchema)
      : { type: 'object', properties: {} },
  };
}
