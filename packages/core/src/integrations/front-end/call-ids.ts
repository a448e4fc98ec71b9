import { type AgentCall, pathKey } from '../../deferred/nested-calls.ts';
import type { PendingCall } from '../../deferred/pending-call.ts';
import { type Message, toolCallsOf } from '../../messages/message.ts';

/**
 * The ids of tool calls in a user interface. Providers may number the calls of each response from 1, and `useChat` finds
 * the part of a call by its id. Therefore the second call with an id gets a suffix.
 */
export class ClientCallIds {
  readonly #uses = new Map<string, number>();

  /** Returns the ids after the calls of a history. */
  static after(messages: readonly Message[]): ClientCallIds {
    const ids = new ClientCallIds();
    for (const message of messages) {
      if (message.kind !== 'response') continue;
      for (const { toolCallId } of toolCallsOf(message)) ids.add(toolCallId);
    }
    return ids;
  }

  /** Counts a call, and returns its id. */
  add(toolCallId: string): string {
    this.#uses.set(toolCallId, (this.#uses.get(toolCallId) ?? 0) + 1);
    return this.of(toolCallId);
  }

  /** Returns the id of the latest call that the model gave this id. */
  of(toolCallId: string): string {
    const uses = this.#uses.get(toolCallId) ?? 1;
    return uses === 1 ? toolCallId : `${toolCallId}~${uses}`;
  }

  /** Returns the id of a call of a sub-agent. */
  nested(path: readonly AgentCall[], toolCallId: string): string {
    const [outer, ...inner] = path;
    if (outer === undefined) return this.of(toolCallId);
    const agents = [{ ...outer, toolCallId: this.of(outer.toolCallId) }, ...inner];
    return pathKey({ agents, toolCallId });
  }

  /** Returns the id of a pending call. */
  ofPending({ path, toolCallId }: PendingCall): string {
    return this.nested(path, toolCallId);
  }
}
