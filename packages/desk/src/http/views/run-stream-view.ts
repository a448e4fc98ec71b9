import { z } from '@hono/zod-openapi';
import { type JsonObject, type Message, messageCodec } from 'holdpoint';
import type { Desk } from '../../desk/desk.ts';
import { toJson } from '../../model/json.ts';
import { callsIn } from '../../redaction/calls-in.ts';
import type { Redaction } from '../../redaction/redaction.ts';
import type { RunStreamEvent } from '../../stream/run-stream-event.ts';
import { ConversationSecrets } from '../redaction/conversation-secrets.ts';
import { messageViews } from './history-view.ts';
import { type RunView, runView, runViewSchema } from './run-view.ts';
import { jsonObjectSchema } from './schemas.ts';

/** An event of the stream of a run, without the values that the caller must not see. */
export type RunStreamView =
  | {
      /** A message of the run is stored. It replaces all `live` events with its position. */
      readonly kind: 'message';
      /** The index of the message in its conversation. */
      readonly position: number;
      readonly message: JsonObject;
      /** The version of the format of the message, for `messageCodec`. */
      readonly version: number;
      readonly cursor: string;
    }
  | {
      /** An event about a message that is not stored yet. */
      readonly kind: 'live';
      readonly position: number;
      readonly event: JsonObject;
    }
  | {
      /** The `live` events and messages from this position on are void. */
      readonly kind: 'rewind';
      readonly position: number;
    }
  | {
      /** The state of the run has changed. */
      readonly kind: 'state';
      readonly run: RunView;
      readonly cursor: string;
    };

export const runStreamSchema: z.ZodType<RunStreamView> = z
  .union([
    z.strictObject({
      kind: z.literal('message'),
      position: z.number(),
      message: jsonObjectSchema,
      version: z.number(),
      cursor: z.string(),
    }),
    z.strictObject({ kind: z.literal('live'), position: z.number(), event: jsonObjectSchema }),
    z.strictObject({ kind: z.literal('rewind'), position: z.number() }),
    z.strictObject({ kind: z.literal('state'), run: runViewSchema, cursor: z.string() }),
  ])
  .openapi('RunStreamEvent');

/** Shows the events of one run to a caller. */
export class RunStreamViews {
  readonly #desk: Desk;
  readonly #redaction: Redaction;
  readonly #conversationId: string;

  constructor(desk: Desk, redaction: Redaction, conversationId: string) {
    this.#desk = desk;
    this.#redaction = redaction;
    this.#conversationId = conversationId;
  }

  /** Returns an event without the values that the caller must not see; `undefined` if the caller does not see it. */
  async of(event: RunStreamEvent): Promise<RunStreamView | undefined> {
    switch (event.kind) {
      case 'message':
        return {
          ...event,
          message: await this.#message(event.message),
          version: messageCodec.version,
        };
      case 'live':
        // A later call of the same response may make a part of this text secret.
        if (!this.#redaction.isEmpty) return undefined;
        // An event is an object.
        return { ...event, event: toJson(event.event) as JsonObject };
      case 'rewind':
        return event;
      case 'state':
        return { ...event, run: runView(event.run, await this.#secrets([])) };
    }
  }

  async #message(message: Message): Promise<JsonObject> {
    // The message may be stored before the secrets of its calls are.
    const secrets = await this.#secrets([message]);
    const [view = {}] = messageViews([message], this.#redaction, secrets);
    return view;
  }

  /** Returns the values to remove. A run records them while it executes, so they are read for every event. */
  #secrets(messages: readonly Message[]): ReturnType<ConversationSecrets['of']> {
    const secrets = new ConversationSecrets(this.#desk);
    if (this.#redaction.isEmpty) return secrets.of(this.#conversationId);
    const calls = callsIn(toJson(messages));
    return secrets.of(this.#conversationId, this.#redaction.valuesOf(calls));
  }
}
