import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Ports that systems do not give to connections, so that no connection takes one before its server starts. */
const PORTS = { from: 15_000, to: 32_000 };

/** Returns a port on loopback that no server uses. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
