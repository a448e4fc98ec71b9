import type { ChatListener } from 'holdpoint/ai-sdk-ui';
import type { Desk } from '../desk/desk.ts';
import { contextOf } from '../desk/desk-reader.ts';
import { isOver } from '../model/states.ts';
import type { RunRow } from '../model/run-row.ts';
import { EventFeed } from '../stream/event-feed.ts';

/** The time between two reads of the store for changes of other processes, in milliseconds. */
const POLL_MS = 1_000;

/** A conversation that clients follow. */
interface Followed {
  readonly listeners: Set<ChatListener>;
  /** The state of the last run that the listeners know. */
  state: string;
}

/** The changes of conversations. The desk reads its events once for all clients, and only while there are clients. */
export class ConversationChanges {
  readonly #desk: Desk;
  readonly #feed: EventFeed;
  readonly #followed = new Map<string, Followed>();
  #stop: Promise<() => void> | undefined;

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#feed = new EventFeed(desk, POLL_MS, contextOf(desk).onError);
  }

  /** The number of conversations that clients follow. */
  get size(): number {
    return this.#followed.size;
  }

  /** Notifies a listener each time a run of the conversation starts, resumes, parks or ends. */
  async watch(conversationId: string, listener: ChatListener): Promise<() => void> {
    const followed = this.#followed.get(conversationId) ?? { listeners: new Set(), state: '' };
    this.#followed.set(conversationId, followed);
    followed.listeners.add(listener);
    const leave = () => {
      followed.listeners.delete(listener);
      if (followed.listeners.size > 0) return;
      this.#followed.delete(conversationId);
      if (this.#followed.size === 0) this.#end();
    };
    try {
      this.#stop ??= this.#start();
      await this.#stop;
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  async #start(): Promise<() => void> {
    const { streams, onError } = contextOf(this.#desk);
    const onClose = () => {
      for (const { listeners } of this.#followed.values()) {
        for (const { onEnd } of listeners) onEnd();
      }
    };
    streams.closing.addEventListener('abort', onClose);
    const stopReading = await this.#feed.listen(({ runId }) => {
      this.#notify(runId).catch((error: unknown) => onError(error, { runId }));
    });
    return () => {
      streams.closing.removeEventListener('abort', onClose);
      stopReading();
    };
  }

  #end(): void {
    const stopping = this.#stop;
    this.#stop = undefined;
    // A start that failed was reported to the client that waited for it.
    stopping?.then((stop) => stop()).catch(() => {});
  }

  /**
   * Notifies the clients of the conversation of a run. A decision that leaves the run parked is no change: a client that
   * loads the conversation loses the decisions that its user has not sent yet.
   */
  async #notify(runId: string): Promise<void> {
    if (this.#followed.size === 0) return;
    const run = await this.#desk.run(runId);
    const followed = this.#followed.get(run.conversationId);
    const state = stateOf(run);
    if (followed === undefined || followed.state === state) return;
    followed.state = state;
    for (const { onChange } of followed.listeners) onChange();
  }
}

/** Names the state of a run as a client shows it. A run that parks again has another one. */
function stateOf({ id, state, parks }: RunRow): string {
  const isActive = !isOver(state) && state !== 'parked' && state !== 'stuck';
  return `${id} ${isActive ? 'active' : state} ${parks}`;
}
