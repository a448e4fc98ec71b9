import type { AgentEvent, RunStream } from '../../agent/run-stream.ts';
import { liveEnvironment } from '../../context/environment.ts';
import { ToolInput } from '../../deferred/decisions.ts';
import { requestsFromMessages } from '../../deferred/from-messages.ts';
import type { DecisionEntry } from '../../deferred/pending-call.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import type { DeferredToolResults } from '../../deferred/results.ts';
import { AgentError } from '../../errors/agent-errors.ts';
import { isThrown } from '../../errors/thrown.ts';
import { invariant } from '../../internal/invariant.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { UserPrompt } from '../../messages/content.ts';
import type { Message } from '../../messages/message.ts';
import { schemaProblems } from '../../models/schema-problems.ts';
import type { ExternalToolset } from '../../toolsets/external-toolset.ts';
import type {
  ChatAccess,
  ChatBackend,
  ChatPrompt,
  ChatTurn,
  NewTurn,
  OpenChat,
  PendingChat,
  TurnOptions,
} from './chat-backend.ts';

/** Options of a run, as far as the handler sets them. */
export interface TurnStart {
  readonly messageHistory: readonly Message[];
  readonly deferredToolResults?: DeferredToolResults;
  readonly runId?: string;
  readonly onPendingCalls?: 'cancel';
  readonly durability?: { readonly ledger: Ledger | undefined };
  readonly signal?: AbortSignal;
  /** The tools that the client executes. */
  readonly clientTools?: ExternalToolset | undefined;
}

/** A conversation that was loaded. */
interface LoadedChat {
  readonly messages: readonly Message[];
  /** Returns the options that resume its run. */
  resumeOptions(results: DeferredToolResults): Promise<TurnStart>;
}

/** The place that conversations are stored in. */
export interface ChatStorage<Access> {
  load(access: Access, token: string | undefined): Promise<LoadedChat>;
  /** Stores a conversation. Returns a token if the client stores it. */
  save(access: Access, messages: readonly Message[]): Promise<string | undefined>;
}

/** The parts of a {@link RunBackend}. */
interface RunBackendParts<Access> {
  readonly storage: ChatStorage<Access>;
  /** Starts a run. */
  readonly start: (access: Access, prompt: UserPrompt | undefined, options: TurnStart) => RunStream;
}

/** Executes the runs of conversations in this process. */
export class RunBackend<Access extends ChatAccess> implements ChatBackend<Access> {
  readonly #parts: RunBackendParts<Access>;

  constructor(parts: RunBackendParts<Access>) {
    this.#parts = parts;
  }

  async open(access: Access, token: string | undefined): Promise<OpenChat> {
    const loaded = await this.#parts.storage.load(access, token);
    return new OpenRun(this.#parts, access, loaded);
  }
}

class OpenRun<Access extends ChatAccess> implements OpenChat {
  readonly messages: readonly Message[];
  readonly requests: DeferredToolRequests | undefined;
  readonly #parts: RunBackendParts<Access>;
  readonly #access: Access;
  readonly #loaded: LoadedChat;

  constructor(parts: RunBackendParts<Access>, access: Access, loaded: LoadedChat) {
    this.#parts = parts;
    this.#access = access;
    this.#loaded = loaded;
    this.messages = loaded.messages;
    this.requests = pendingIn(loaded.messages);
  }

  async prompt({ id, content }: ChatPrompt, options?: TurnOptions): Promise<NewTurn> {
    const runId = liveEnvironment.newId();
    const messageHistory = this.messages;
    const { clientTools } = options ?? {};
    // The handler has rejected a prompt that must not cancel calls. Calls of a run that failed need no decision.
    const onPendingCalls = 'cancel' as const;
    const turn = this.#turn(content, { messageHistory, runId, clientTools, onPendingCalls }, id);
    return { ...turn, messageId: runId };
  }

  async decide(
    entries: readonly DecisionEntry[],
    options?: TurnOptions,
  ): Promise<ChatTurn | PendingChat> {
    const requests = invariant(this.requests, 'decisions are for pending calls');
    const results = requests.buildResults(entries);
    const problems = problemsOfInputs(requests, entries);
    if (problems.size > 0) return { kind: 'pending', requests, notes: problems };
    if (requests.remaining(results) !== undefined) {
      const note = `Decide all ${requests.size} pending calls.`;
      return {
        kind: 'pending',
        requests,
        notes: new Map([...requests].map(({ id }) => [id, note])),
      };
    }
    const resume = await this.#loaded.resumeOptions(results);
    return this.#turn(undefined, { ...resume, clientTools: options?.clientTools });
  }

  #turn(prompt: UserPrompt | undefined, options: TurnStart, promptId?: string): ChatTurn {
    const controller = new AbortController();
    const { signal } = controller;
    const stream = this.#parts.start(this.#access, prompt, { ...options, signal });
    const recorder = new TurnRecorder(stream, options.messageHistory.length, promptId, (messages) =>
      this.#parts.storage.save(this.#access, messages),
    );
    return {
      kind: 'turn',
      events: recorder.events(),
      token: () => recorder.token,
      stop: () => controller.abort(),
    };
  }
}

/** Returns the problems of inputs that do not match the schema of their question, by the id of the pending call. */
function problemsOfInputs(
  requests: DeferredToolRequests,
  entries: readonly DecisionEntry[],
): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  for (const { key, decision } of entries) {
    const call = requests.get(key);
    if (call.question === undefined || !(decision instanceof ToolInput)) continue;
    const found = schemaProblems(call.question.schema, decision.value);
    if (found.length > 0) problems.set(call.id, found.join(' '));
  }
  return problems;
}

/** Stores the conversation of a run before the client receives the end of the run. */
class TurnRecorder {
  readonly #stream: RunStream;
  readonly #knownMessages: number;
  readonly #promptId: string | undefined;
  readonly #save: (messages: readonly Message[]) => Promise<string | undefined>;
  token: string | undefined;

  constructor(
    stream: RunStream,
    knownMessages: number,
    promptId: string | undefined,
    save: (messages: readonly Message[]) => Promise<string | undefined>,
  ) {
    this.#stream = stream;
    this.#knownMessages = knownMessages;
    this.#promptId = promptId;
    this.#save = save;
  }

  async *events(): AsyncGenerator<AgentEvent, void, void> {
    try {
      for await (const event of this.#stream) {
        if (event.kind === 'run-result') await this.#record(event.result.messages);
        yield event;
      }
    } catch (error) {
      // A call of the failed run may have executed. Without its result in the history it could execute again.
      if (this.token === undefined && this.#hasProgress())
        await this.#record(this.#stream.messages);
      throw error;
    }
  }

  /** Returns whether the run has added more than its prompt. */
  #hasProgress(): boolean {
    const added = this.#stream.messages.slice(this.#knownMessages);
    return this.#promptId === undefined
      ? added.length > 0
      : added.some(({ kind }) => kind === 'response');
  }

  async #record(messages: readonly Message[]): Promise<void> {
    this.token = await this.#save(withPromptId(messages, this.#promptId));
  }
}

/** Returns messages with the client's id of their last prompt, so that a repeated request starts no second run. */
function withPromptId(messages: readonly Message[], id: string | undefined): readonly Message[] {
  if (id === undefined) return messages;
  const index = messages.findLastIndex(
    (message) =>
      message.kind === 'request' && message.parts.some(({ kind }) => kind === 'user-prompt'),
  );
  return messages.map((message, position) =>
    position === index
      ? { ...message, metadata: { ...message.metadata, [PROMPT_ID]: id } }
      : message,
  );
}

/** The key of a request's metadata that holds the id of the prompt in the client. */
export const PROMPT_ID = 'uiMessageId';

/** Returns the pending calls of a history. A history that is shown may also end in calls that no run recorded. */
export function pendingIn(messages: readonly Message[]): DeferredToolRequests | undefined {
  try {
    return requestsFromMessages(messages);
  } catch (error) {
    if (isThrown(error, AgentError)) return undefined;
    throw error;
  }
}

/** Returns the id that the client gave a prompt; `undefined` if the request has none. */
export function promptIdOf({ metadata }: Message): string | undefined {
  const id = metadata?.[PROMPT_ID];
  return typeof id === 'string' ? id : undefined;
}
