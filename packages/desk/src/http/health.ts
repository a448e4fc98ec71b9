import { createRoute, z } from '@hono/zod-openapi';
import type { Desk } from '../desk/desk.ts';
import { contextOf } from '../desk/desk-reader.ts';
import type { ReportError } from '../errors/report-error.ts';
import type { DeskApi } from './scope.ts';

/** The time that a result is reused, in milliseconds, so that callers without credentials cause few reads. */
const CACHE_MS = 1_000;

const healthSchema = z.strictObject({ status: z.enum(['ok', 'unavailable']) });

/** Options of {@link serveHealth}. */
export interface HealthOptions {
  readonly onError: ReportError;
  /** Returns true once the process is about to stop. */
  readonly isDraining: () => boolean;
}

/** Serves health checks without credentials, for load balancers. They reveal only the health. */
export function serveHealth(api: DeskApi, desk: Desk, options: HealthOptions): void {
  const { onError, isDraining } = options;
  const { store } = contextOf(desk);
  let last: { readonly at: number; readonly isReady: Promise<boolean> } | undefined;
  const isReady = async () => {
    try {
      await store.read((tx) => tx.now());
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  };
  const content = { 'application/json': { schema: healthSchema } };
  const shared = { method: 'get' as const, tags: ['Health'], security: [] };
  api.openapi(
    createRoute({
      ...shared,
      path: '/livez',
      operationId: 'getLiveness',
      summary: 'Reports that the process responds',
      responses: { 200: { description: 'The process responds.', content } },
    }),
    (context) => context.json({ status: 'ok' as const }, 200),
  );
  api.openapi(
    createRoute({
      ...shared,
      path: '/readyz',
      operationId: 'getReadiness',
      summary: 'Reports that the store responds and the process is not about to stop',
      responses: {
        200: { description: 'The store responds.', content },
        503: {
          description: 'The store does not respond, or the process is about to stop.',
          content,
        },
      },
    }),
    async (context) => {
      if (isDraining()) return context.json({ status: 'unavailable' as const }, 503);
      const now = performance.now();
      if (last === undefined || now - last.at > CACHE_MS) last = { at: now, isReady: isReady() };
      return (await last.isReady)
        ? context.json({ status: 'ok' as const }, 200)
        : context.json({ status: 'unavailable' as const }, 503);
    },
  );
}
