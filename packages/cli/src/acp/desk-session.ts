import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentContext, methods, type StopReason } from '@agentclientprotocol/sdk';
import { DeskError, type HoldRow, type RunRow, stepEventsOf } from '@holdpoint/desk';
import type { AcpSession, EditorContext, SessionSource } from './acp-session.ts';
import { decideHolds } from './desk-holds.ts';
import type { DeskUser } from './desk-user.ts';
import { codeSpan } from './markdown.ts';
import type { AcpOptions } from './options.ts';
import { replayUpdates } from './replay.ts';
import { requestErrorOf } from './request-error.ts';
import { SESSION_ID } from './session-files.ts';
import type { TurnContext } from './turn-context.ts';
import { TurnUpdates } from './turn-updates.ts';
import { Turns } from './turns.ts';

/** The time after which a run that waits, such as for another attempt, is tried again, in milliseconds. */
const RETRY_MS = 500;

/** The parts that all sessions of a process share. */
export interface DeskSessionDeps {
  readonly user: DeskUser;
  readonly options: AcpOptions;
  /** Writes a line to the log. */
  readonly log: (line: string) => void;
}

/** Returns the conversations of an agent at a desk. */
export function deskSessions(deps: DeskSessionDeps): SessionSource {
  const { desk, agent } = deps.user;
  return {
    name: agent,
    create: () => new DeskSession(randomUUID(), deps),
    async load(sessionId) {
      if (!SESSION_ID.test(sessionId)) return undefined;
      const session = new DeskSession(sessionId, deps);
      const { items } = await desk.runs({ conversationId: session.conversationId, limit: 1 });
      return items.length === 0 ? undefined : session;
    },
  };
}

/** A run that is followed while no prompt is in progress. */
interface Following {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** A conversation in an editor that a desk stores. The run of a prompt executes in this process, or in a worker. */
class DeskSession implements AcpSession {
  readonly id: string;
  readonly conversationId: string;
  readonly #deps: DeskSessionDeps;
  readonly #turns: Turns;
  #updates: TurnUpdates | undefined;
  #following: Following | undefined;
  /** The last event of the run that the editor was shown. */
  #cursor: string | undefined;

  constructor(id: string, deps: DeskSessionDeps) {
    this.id = id;
    // Another user cannot load the conversation under the same id.
    this.conversationId = `acp/${encodeURIComponent(deps.user.person.id)}/${id}`;
    this.#deps = deps;
    this.#turns = new Turns(id, deps.log);
  }

  get isBusy(): boolean {
    return this.#turns.isBusy;
  }

  cancel(): void {
    this.#turns.cancel();
  }

  /** Shows the conversation, and follows its run if that has not ended. */
  async replay(client: AgentContext): Promise<void> {
    const { user, options } = this.#deps;
    await this.#stopFollowing();
    const messages = await user.desk.history(this.conversationId);
    for (const update of replayUpdates(messages, options)) {
      await client.notify(methods.client.session.update, { sessionId: this.id, update });
    }
    const updates = this.#updatesFor(client);
    updates.continueAfter(messages);
    const run = await this.#lastRun();
    if (run === undefined || isOver(run)) return;
    this.#cursor = undefined;
    const last = messages.length - 1;
    for await (const event of user.desk.stream(run.id)) {
      if (event.kind === 'message' && event.position <= last) this.#cursor = event.cursor;
      else break;
    }
    await this.#showWaiting(await this.#openHolds(run.id), updates);
    this.#follow(run.id, updates);
  }

  prompt(text: string, editor: EditorContext): Promise<StopReason> {
    const updates = this.#updatesFor(editor.client);
    const work = async (turn: TurnContext) => {
      await this.#stopFollowing();
      await this.#prompt(text, turn);
    };
    return this.#turns.run(editor, updates, work, () => this.#cancelRun());
  }

  #updatesFor(client: AgentContext): TurnUpdates {
    this.#updates ??= new TurnUpdates(
      (update) => client.notify(methods.client.session.update, { sessionId: this.id, update }),
      this.#deps.options,
    );
    return this.#updates;
  }

  async #prompt(text: string, turn: TurnContext): Promise<void> {
    const last = await this.#lastRun();
    if (last?.state === 'parked') {
      // The user may be able to decide the pending calls now, for example after a load.
      const hasEnded = await this.#run(last.id, turn);
      if (!hasEnded)
        return turn.updates.text('Your message was not sent, because calls are pending.\n\n');
    }
    const { desk, agent, person: requester } = this.#deps.user;
    const { conversationId } = this;
    const runId = await (last === undefined
      ? desk.start(agent, text, { requester, conversationId })
      : desk.message(conversationId, text, { requester }));
    if (runId !== last?.id) this.#cursor = undefined;
    await this.#run(runId, turn);
  }

  async #lastRun(): Promise<RunRow | undefined> {
    const { conversationId } = this;
    return (await this.#deps.user.desk.runs({ conversationId, limit: 1 })).items[0];
  }

  /** Shows a run until it ends, or until only other people can decide its pending calls. Returns true if it ended. */
  async #run(runId: string, turn: TurnContext): Promise<boolean> {
    const { desk } = this.#deps.user;
    for (;;) {
      await this.#show(runId, turn.updates, turn.signal);
      turn.signal.throwIfAborted();
      const run = await desk.run(runId);
      if (run.state !== 'parked') {
        await this.#showEnd(run, turn.updates);
        return true;
      }
      const waiting = await this.#decide(runId, turn);
      turn.signal.throwIfAborted();
      const { state } = await desk.run(runId);
      if (state !== 'parked') continue;
      await this.#showWaiting(waiting, turn.updates);
      this.#follow(runId, turn.updates);
      return false;
    }
  }

  /** Requests decisions from the user of the editor. Decisions of other people end the requests. */
  async #decide(runId: string, turn: TurnContext): Promise<readonly HoldRow[]> {
    const { user } = this.#deps;
    const leaving = new AbortController();
    const obsolete = new AbortController();
    const watching = (async () => {
      const { signal } = leaving;
      const options = { after: this.#cursor, continueWhenParked: true, signal };
      for await (const event of user.desk.stream(runId, options)) {
        if (event.kind === 'state' && event.run.state !== 'parked') obsolete.abort();
      }
    })();
    try {
      const holds = await this.#openHolds(runId);
      return await decideHolds(holds, user, turn, obsolete.signal);
    } finally {
      leaving.abort();
      await watching;
    }
  }

  /** Executes a run, unless a worker does, and shows its events until it parks or ends. */
  async #show(runId: string, updates: TurnUpdates, signal: AbortSignal): Promise<void> {
    const { user, log } = this.#deps;
    const observed = async function* (this: DeskSession) {
      for await (const event of user.desk.stream(runId, { after: this.#cursor, signal })) {
        if ('cursor' in event) this.#cursor = event.cursor;
        yield event;
      }
    };
    const working = this.#work(runId, signal).catch((error: unknown) => {
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    });
    for await (const event of stepEventsOf(observed.call(this))) await updates.show(event);
    if (!signal.aborted) await working;
  }

  /** Executes a run until it parks or ends. A run that waits, or that a worker executes, is tried again. */
  async #work(runId: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { state } = await this.#deps.user.desk.work({ runId });
      if (state !== 'ready' && state !== 'running') return;
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** Shows a run that other people decide, until the next prompt. */
  #follow(runId: string, updates: TurnUpdates): void {
    const stop = new AbortController();
    const { signal } = stop;
    const follow = async () => {
      const { desk } = this.#deps.user;
      while (!signal.aborted) {
        const options = { after: this.#cursor, continueWhenParked: true, signal };
        for await (const event of desk.stream(runId, options)) {
          if (event.kind === 'state' && event.run.state !== 'parked') break;
        }
        if (signal.aborted) return;
        await this.#show(runId, updates, signal);
        if (signal.aborted) return;
        const run = await desk.run(runId);
        if (run.state !== 'parked') return this.#showEnd(run, updates);
        await this.#showWaiting(await this.#openHolds(runId), updates);
      }
    };
    const ended = follow().catch((error: unknown) => {
      if (!signal.aborted) requestErrorOf(error, this.#deps.log);
    });
    this.#following = { stop, ended };
  }

  async #stopFollowing(): Promise<void> {
    this.#following?.stop.abort();
    await this.#following?.ended;
    this.#following = undefined;
  }

  async #openHolds(runId: string): Promise<readonly HoldRow[]> {
    const { items } = await this.#deps.user.desk.holds({ runId, states: ['open'], limit: 100 });
    return items.toSorted((one, other) => one.callIndex - other.callIndex);
  }

  /** Shows the addresses of pending calls that other people decide. */
  async #showWaiting(holds: readonly HoldRow[], updates: TurnUpdates): Promise<void> {
    if (holds.length === 0) return;
    const lines = holds.map(
      ({ id, toolName }) => `- ${codeSpan(toolName)}: ${this.#addressOf(id)}`,
    );
    await updates.text(
      `These calls wait for a decision at the desk:\n\n${lines.join('\n')}\n\n` +
        'This conversation continues after the decision.\n\n',
    );
  }

  #addressOf(holdId: string): string {
    const { url } = this.#deps.user.desk;
    return url === undefined ? `hold \`${holdId}\`` : `${url}/inbox/holds/${holdId}`;
  }

  async #showEnd(run: RunRow, updates: TurnUpdates): Promise<void> {
    if (run.state === 'finished') return;
    const { url } = this.#deps.user.desk;
    const address = url === undefined ? `run \`${run.id}\`` : `${url}/inbox/runs/${run.id}`;
    await updates.text(`The run did not finish: it is ${run.state}. See ${address}.\n\n`);
  }

  async #cancelRun(): Promise<void> {
    const { desk, person: by } = this.#deps.user;
    const run = await this.#lastRun();
    if (run === undefined || isOver(run)) return;
    try {
      await desk.cancel(run.id, { by });
    } catch (error) {
      // The run may have ended in the meantime.
      if (!(error instanceof DeskError)) throw error;
    }
  }
}

function isOver({ state }: RunRow): boolean {
  return state === 'finished' || state === 'failed' || state === 'cancelled';
}
