import type { RequestListener, Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Rejects requests that come over open connections while the desk stops. */
export const rejectWhileStopping: RequestListener = (_, response) => {
  response.writeHead(503, { connection: 'close', 'retry-after': '1' }).end();
};

/** Has a server accept no more connections. Resolves when those that are open have ended. */
export function stopAccepting(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

/** Waits for responses that are under way, but not longer than `graceMs`; then all connections are closed. */
export async function closeConnections(
  server: Server,
  stopped: Promise<void>,
  graceMs: number,
): Promise<void> {
  const timer = new AbortController();
  const { signal } = timer;
  await Promise.race([stopped, sleep(graceMs, undefined, { signal }).catch(() => {})]);
  timer.abort();
  server.closeAllConnections();
}

/** Calls all closers in order. One that throws is reported and does not keep the others from being called. */
export async function closeAll(
  closers: readonly (() => unknown)[],
  onError: (error: unknown) => void,
): Promise<void> {
  for (const close of closers) {
    try {
      await close();
    } catch (error) {
      onError(error);
    }
  }
}
