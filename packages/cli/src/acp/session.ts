import { randomUUID } from 'node:crypto';
import { type AgentContext, methods, type StopReason } from '@agentclientprotocol/sdk';
import {
  type Capability,
  type DeferredToolRequests,
  type DeferredToolResults,
  type Message,
} from 'holdpoint';
import type { LoadedAgent } from '../chat/load-agent.ts';
import type { AcpSession, EditorContext, SessionSource } from './acp-session.ts';
import { codeBlock } from './markdown.ts';
import type { AcpOptions } from './options.ts';
import { decideCalls } from './permissions.ts';
import { replayUpdates } from './replay.ts';
import type { SessionFiles } from './session-files.ts';
import type { TurnContext } from './turn-context.ts';
import { TurnUpdates } from './turn-updates.ts';
import { Turns } from './turns.ts';

/** The parts that all sessions of a process share. */
export interface SessionDeps {
  readonly loaded: LoadedAgent;
  readonly options: AcpOptions;
  readonly files: SessionFiles;
  /** Writes a line to the log. */
  readonly log: (line: string) => void;
}

/** Returns the conversations of an agent that are stored in files. */
export function fileSessions(deps: SessionDeps): SessionSource {
  return {
    name: deps.loaded.agent.name ?? 'holdpoint',
    create: () => new Session(randomUUID(), deps),
    async load(sessionId) {
      const messages = await deps.files.load(sessionId);
      return messages && new Session(sessionId, deps, messages);
    },
  };
}

/** A conversation in an editor. The runs execute in this process. */
class Session implements AcpSession {
  readonly id: string;
  readonly #deps: SessionDeps;
  readonly #turns: Turns;
  #messages: readonly Message[];

  constructor(id: string, deps: SessionDeps, messages: readonly Message[] = []) {
    this.id = id;
    this.#deps = deps;
    this.#turns = new Turns(id, deps.log);
    this.#messages = messages;
  }

  get isBusy(): boolean {
    return this.#turns.isBusy;
  }

  cancel(): void {
    this.#turns.cancel();
  }

  /** Sends the conversation so far to the editor. */
  async replay(client: AgentContext): Promise<void> {
    for (const update of replayUpdates(this.#messages, this.#deps.options)) {
      await client.notify(methods.client.session.update, { sessionId: this.id, update });
    }
  }

  prompt(text: string, editor: EditorContext): Promise<StopReason> {
    const updates = new TurnUpdates(
      (update) =>
        editor.client.notify(methods.client.session.update, { sessionId: this.id, update }),
      this.#deps.options,
    );
    return this.#turns.run(editor, updates, (turn) => this.#run(text, turn));
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
