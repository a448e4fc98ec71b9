import {
  type AgentContext,
  methods,
  RequestError,
  type StopReason,
} from '@agentclientprotocol/sdk';
import {
  AgentError,
  type Capability,
  type DeferredToolRequests,
  type DeferredToolResults,
  type Message,
  UsageLimitExceeded,
} from 'holdpoint';
import type { LoadedAgent } from '../chat/load-agent.ts';
import { codeBlock } from './markdown.ts';
import type { AcpOptions } from './options.ts';
import { decideCalls } from './permissions.ts';
import { replayUpdates } from './replay.ts';
import type { SessionFiles } from './session-files.ts';
import type { TurnContext } from './turn-context.ts';
import { TurnUpdates } from './turn-updates.ts';

/** The parts that all sessions of a process share. */
export interface SessionDeps {
  readonly loaded: LoadedAgent;
  readonly options: AcpOptions;
  readonly files: SessionFiles;
  /** Writes a line to the log. */
  readonly log: (line: string) => void;
}

/** The editor that sent a prompt. */
export interface EditorContext {
  readonly client: AgentContext;
  /** True if the editor can show forms. */
  readonly hasForms: boolean;
  /** Aborts when the editor disconnects. */
  readonly connection: AbortSignal;
}

/** A conversation in an editor. */
export class Session {
  readonly id: string;
  readonly #deps: SessionDeps;
  #messages: readonly Message[];
  #turn: AbortController | undefined;

  constructor(id: string, deps: SessionDeps, messages: readonly Message[] = []) {
    this.id = id;
    this.#deps = deps;
    this.#messages = messages;
  }

  /** True while a prompt is in progress. */
  get isBusy(): boolean {
    return this.#turn !== undefined;
  }

  /** Stops the prompt that is in progress. */
  cancel(): void {
    this.#turn?.abort(new DOMException('The user cancelled the prompt.', 'AbortError'));
  }

  /** Sends the conversation so far to the editor. */
  async replay(client: AgentContext): Promise<void> {
    for (const update of replayUpdates(this.#messages, this.#deps.options)) {
      await client.notify(methods.client.session.update, { sessionId: this.id, update });
    }
  }

  /** Runs the agent with a prompt; returns the reason for the end of the turn. */
  async prompt(text: string, editor: EditorContext): Promise<StopReason> {
    const { client, hasForms } = editor;
    if (this.isBusy) {
      throw RequestError.invalidRequest(undefined, 'the session has a prompt in progress');
    }
    const turn = new AbortController();
    this.#turn = turn;
    const signal = AbortSignal.any([turn.signal, editor.connection]);
    const updates = new TurnUpdates(
      (update) => client.notify(methods.client.session.update, { sessionId: this.id, update }),
      this.#deps.options,
    );
    const cancel = () => this.cancel();
    try {
      await this.#run(text, { sessionId: this.id, client, hasForms, updates, signal, cancel });
      return 'end_turn';
    } catch (error) {
      if (signal.aborted) return 'cancelled';
      if (error instanceof UsageLimitExceeded) return 'max_turn_requests';
      throw this.#failure(error);
    } finally {
      this.#turn = undefined;
    }
  }

  async #run(
    prompt: string | undefined,
    turn: TurnContext,
    results?: DeferredToolResults,
  ): Promise<void> {
    const { agent, deps } = this.#deps.loaded;
    const decide = (requests: DeferredToolRequests) => decideCalls(requests, turn);
    const stream = agent.stream(prompt, {
      deps,
      signal: turn.signal,
      messageHistory: this.#messages,
      ...(results === undefined
        ? // The prompt cancels calls that an earlier turn left without a decision.
          { onPendingCalls: 'cancel' }
        : { deferredToolResults: results }),
      deferredToolHandler: decide,
      events: { responses: true, subAgents: true },
      onEvent: (event) => turn.updates.show(event),
      capabilities: [reportExecutions(turn.updates)],
    });
    try {
      await stream.result;
    } finally {
      await this.#keep(stream.messages);
    }
    const result = await stream.result;
    // An approved call can defer again.
    if (result.status === 'parked') {
      return this.#run(undefined, turn, await decide(result.output));
    }
    if (typeof result.output !== 'string' && result.output !== undefined) {
      await turn.updates.text(codeBlock(JSON.stringify(result.output, undefined, 2), 'json'));
    }
  }

  async #keep(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    this.#messages = messages;
    await this.#deps.files.save(this.id, messages);
  }

  /** Returns the error for the editor. Errors of other code can contain secrets, so they are only logged. */
  #failure(error: unknown): RequestError {
    if (error instanceof RequestError) return error;
    this.#deps.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    const text =
      error instanceof AgentError ? error.message : 'The run failed. See the log of the agent.';
    return RequestError.internalError(undefined, text);
  }
}

/** Reports calls to the editor when they execute: the event of a call precedes the gate. */
function reportExecutions(updates: TurnUpdates): Capability {
  return {
    name: 'holdpoint-acp',
    async wrapToolExecution({ call }, next) {
      await updates.showExecution([call.toolCallId]);
      return next();
    },
  };
}
