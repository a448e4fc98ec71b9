import type { DecisionEntry } from '../../deferred/pending-call.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import type { UserPrompt } from '../../messages/content.ts';
import type { StepEvent } from '../../events/run-events.ts';
import type { Message } from '../../messages/message.ts';
import type { ExternalToolset } from '../../toolsets/external-toolset.ts';

/** The access of a caller to one conversation, as `authorize` returns it. Add members of your own, such as the user. */
export interface ChatAccess {
  /**
   * The id of the conversation on the server. Derive it from the caller and the id that the client sent, because clients
   * choose their ids.
   */
  readonly conversationId: string;
}

/** The storage and execution of conversations behind a `chatHandler`. */
export interface ChatBackend<Access extends ChatAccess = ChatAccess> {
  /** Reads a conversation. `token` comes from the client and is not trusted. */
  open(access: Access, token: string | undefined): Promise<OpenChat>;
  /**
   * Notifies a listener when a client should load the conversation again: a run started, resumed, parked or ended.
   * Returns a function that stops it. Without `watch`, clients are notified of the runs of their handler only.
   */
  watch?(access: Access, listener: ChatListener): Promise<() => void>;
}

/** Receives the changes of a conversation. */
export interface ChatListener {
  readonly onChange: () => void;
  /** The backend is closed. Clients connect again. */
  readonly onEnd: () => void;
}

/** A conversation at the time of a request. */
export interface OpenChat {
  readonly messages: readonly Message[];
  /** The pending calls, if the conversation has some. */
  readonly requests: DeferredToolRequests | undefined;
  /** Starts a run with a prompt. */
  prompt(prompt: ChatPrompt, options?: TurnOptions): Promise<NewTurn>;
  /** Records decisions and results. Returns the resumed run, or the calls that are still pending. */
  decide(entries: readonly DecisionEntry[], options?: TurnOptions): Promise<ChatTurn | PendingChat>;
  /** Returns the run that executes now, with all events of its message, if it did not start in this handler. */
  follow?(): Promise<NewTurn | undefined>;
}

/** Options of a run that the client determines. */
export interface TurnOptions {
  /** The tools that the client executes: their calls are external. A backend may ignore them. */
  readonly clientTools?: ExternalToolset | undefined;
}

/** A prompt of the user. */
export interface ChatPrompt {
  /** The id that the client gave the message. A prompt with the same id starts no second run. */
  readonly id: string;
  readonly content: UserPrompt;
}

/** An event of a run, as `agent.stream` and other sources of events emit it. The last one is the result. */
export type ChatEvent = StepEvent | { readonly kind: 'run-result'; readonly result: ChatResult };

/** The result of a run, as far as a chat shows it. */
export type ChatResult =
  | {
      readonly status: 'finished';
      readonly messages: readonly Message[];
      /** The messages that the run added. */
      readonly newMessages: readonly Message[];
      /** The output, if the source of the events knows it. */
      readonly output?: unknown;
    }
  | { readonly status: 'parked'; readonly output: DeferredToolRequests };

/** A run of a conversation. */
export interface ChatTurn {
  readonly kind: 'turn';
  /** The events of the run. The last one is its result. */
  readonly events: AsyncIterable<ChatEvent>;
  /** Returns the token of the conversation after the run has ended, if the client stores the conversation. */
  readonly token?: (() => string | undefined) | undefined;
  /** Stops the run. */
  readonly stop?: (() => void) | undefined;
}

/** A run with the id of its assistant message. */
export interface NewTurn extends ChatTurn {
  /** The id of the assistant message, as `toUiMessages` returns it: the `runId` of the first response to the prompt. */
  readonly messageId: string;
}

/** Calls that are still pending after decisions. */
export interface PendingChat {
  readonly kind: 'pending';
  readonly requests: DeferredToolRequests;
  /** Reasons to show with the requests, by the id of the pending call: `1 of 2 approvals`. */
  readonly notes: ReadonlyMap<string, string>;
}
