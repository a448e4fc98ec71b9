import type { Hono } from 'hono';
import { type Desk, insidesOf } from '../desk/desk.ts';
import type { ReportError } from '../errors/report-error.ts';
import type { DeskEnv } from './mount-endpoint.ts';

/** How long a result of the check of the store is used, in milliseconds: callers without credentials cause few reads. */
const CACHE_MS = 1_000;

/**
 * Serves health checks without credentials, for load balancers. `/livez` says that the process responds,
 * `/readyz` that its store does, too. They reveal nothing else.
 */
export function serveHealth(app: Hono<DeskEnv>, desk: Desk, onError: ReportError): void {
  const { store } = insidesOf(desk);
  let checked: { readonly at: number; readonly isReady: Promise<boolean> } | undefined;
  const isReady = async () => {
    try {
      await store.read((tx) => tx.now());
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  };
  app.get('/livez', () => Response.json({ status: 'ok' }));
  app.get('/readyz', async () => {
    const now = performance.now();
    if (checked === undefined || now - checked.at > CACHE_MS) {
      checked = { at: now, isReady: isReady() };
    }
    return (await checked.isReady)
      ? Response.json({ status: 'ok' })
      : Response.json({ status: 'unavailable' }, { status: 503 });
  });
}
