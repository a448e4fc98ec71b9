import type { RequestListener, Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Rejects requests on open connections while the desk stops. */
export const rejectWhileStopping: RequestListener = (_, response) => {
  response.writeHead(503, { connection: 'close', 'retry-after': '1' }).end();
};

/** Stops accepting connections. Resolves when the open ones have ended. */
export function stopAccepting(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

/** Lets responses in flight finish for at most `graceMs`, then closes all connections. */
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
