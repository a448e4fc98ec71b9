import type { McpTransport } from './client-library.ts';

/** Optional members of transports. */
interface TransportExtras {
  onmessage?: ((message: object) => void) | undefined;
  /** Notifies the server that the session is over. */
  terminateSession?(): Promise<void>;
  /** Returns true if the connection must be replaced. */
  isStale?(): boolean;
}

/** A transport of {@link watchTransport}. */
export interface WatchedTransport extends McpTransport {
  /** Returns true if the connection must be replaced. */
  isStale(): boolean;
  /** Waits until the server has received all notifications, and ends the session. */
  terminate(): Promise<void>;
}

/** Marks the error responses that {@link watchTransport} creates. */
export const CUT_OFF: object = Object.freeze({});

/**
 * Adds an error response if the stream of a response ends before the response, because the client would
 * wait for it until the timeout. Also tracks notifications, so that closing does not drop them.
 */
export function watchTransport(transport: McpTransport & TransportExtras): WatchedTransport {
  const notifications = new Set<Promise<void>>();
  const send = transport.send.bind(transport);
  const isStale = transport.isStale?.bind(transport) ?? (() => false);
  return Object.assign(transport, {
    isStale,
    send(message: { readonly id?: unknown; readonly method?: unknown }, options?: object) {
      const isRequest = message.id !== undefined && message.method !== undefined;
      const sending = send(message, {
        ...options,
        // The client ignores this response if it already received one.
        onRequestStreamEnd: () => isRequest && transport.onmessage?.(cutOffResponse(message.id)),
      });
      if (!isRequest) {
        const done = sending.catch(() => {}).then(() => void notifications.delete(done));
        notifications.add(done);
      }
      return sending;
    },
    async terminate() {
      for (const notification of notifications) await notification;
      await transport.terminateSession?.();
    },
  });
}

function cutOffResponse(id: unknown): object {
  const error = { code: -32_000, message: 'The stream ended before the response.', data: CUT_OFF };
  return { jsonrpc: '2.0', id, error };
}
