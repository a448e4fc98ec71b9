import type { McpTransport } from './client-library.ts';

/** What transports can have beside the contract. */
interface Extras {
  onmessage?: ((message: object) => void) | undefined;
  /** Tells the server that the session is over. */
  terminateSession?(): Promise<void>;
  /** Whether the next connection has to be another one. */
  isStale?(): boolean;
}

/** A transport of {@link watchTransport}. */
export interface WatchedTransport extends McpTransport {
  /** Whether it can no longer be relied on. */
  isStale(): boolean;
  /** Waits until the server has been told everything, and takes leave of it. */
  sayGoodbye(): Promise<void>;
}

/** Marks the answers that {@link watchTransport} makes up. */
export const CUT_OFF: object = Object.freeze({});

/**
 * Has a transport tell when the stream of an answer ends before the answer: the client would wait for
 * it until its time is up. Also notes messages that are under way, so that they are not cut off.
 */
export function watchTransport(transport: McpTransport & Extras): WatchedTransport {
  const told = new Set<Promise<void>>();
  const send = transport.send.bind(transport);
  const isStale = transport.isStale?.bind(transport) ?? (() => false);
  return Object.assign(transport, {
    isStale,
    send(message: { readonly id?: unknown; readonly method?: unknown }, options?: object) {
      const isRequest = message.id !== undefined && message.method !== undefined;
      const sending = send(message, {
        ...options,
        // An answer that came in time has been taken; a second one is dropped.
        onRequestStreamEnd: () => isRequest && transport.onmessage?.(cutOff(message.id)),
      });
      if (!isRequest) {
        const done = sending.catch(() => {}).then(() => void told.delete(done));
        told.add(done);
      }
      return sending;
    },
    async sayGoodbye() {
      for (const telling of told) await telling;
      await transport.terminateSession?.();
    },
  });
}

function cutOff(id: unknown): object {
  const error = { code: -32_000, message: 'The stream ended before the answer.', data: CUT_OFF };
  return { jsonrpc: '2.0', id, error };
}
