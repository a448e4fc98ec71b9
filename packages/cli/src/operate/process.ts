import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { jsonLogger, type Logger, type ServedDesk } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { withInterrupt } from '../chat/interrupt.ts';
import { loadDesk } from '../desk/load-desk.ts';
import { type Access, accessOf, isLoopback, listen } from '../desk/serve-desk.ts';
import { closeConnections, stopAccepting } from '../desk/shut-down.ts';
import type { Settings } from './settings.ts';

/** The time that responses in flight have to finish. */
const RESPONSE_GRACE_MS = 5_000;
/** The time after which the process exits although a user's module keeps it alive. */
const EXIT_GRACE_MS = 1_000;

/** Throws if the desk file is missing, before a port is opened. */
function requireDeskFile({ desk }: Settings): void {
  if (existsSync(desk)) return;
  throw new UserError(
    `There is no desk file \`${desk}\`. Pass its path as \`<desk-file>\`, or set \`HOLDPOINT_DESK\`.`,
  );
}

/**
 * Serves a desk until a signal stops the process, and executes its runs if the settings enable it.
 */
export async function serveProcess(settings: Settings): Promise<void> {
  requireDeskFile(settings);
  const logger = jsonLogger({ level: settings.logLevel });
  let respond: ServedDesk['fetch'] = async () => new Response(null, { status: 503 });
  const server = createServer(getRequestListener((request) => respond(request)));
  const listening = await listen(server, settings.host, settings.port);
  try {
    const desk = await openServedDesk(settings, logger, listening);
    respond = desk.fetch;
    logger.info({ event: 'listening', url: listening, worker: settings.worker }, 'Listening.');
    await runUntilSignal(desk, settings, logger, { hasWorker: settings.worker });
    await stop(server, desk, logger);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Executes the runs of a desk until a signal stops the process. */
export async function workerProcess(settings: Settings): Promise<void> {
  requireDeskFile(settings);
  const logger = jsonLogger({ level: settings.logLevel });
  const { desk } = await loadDesk(settings.desk, {
    logger,
    urlOf: () => settings.publicUrl?.replace(/\/$/, ''),
    accessOf: ({ authorize, signIn }) => ({ authorize, signIn }),
  });
  const server = await listenForHealthChecks(desk, settings);
  try {
    await runUntilSignal(desk, settings, logger, {
      hasWorker: true,
      onWorking() {
        const { concurrency } = settings;
        logger.info({ event: 'worker-started', concurrency }, 'Working.');
      },
    });
    await stop(server, desk, logger);
  } finally {
    // A worker that cannot start must not look alive to health checks.
    server?.close();
    server?.closeAllConnections();
  }
}

async function openServedDesk(
  settings: Settings,
  logger: Logger,
  listening: string,
): Promise<ServedDesk> {
  const { publicUrl, host, desk: path } = settings;
  const origin = publicUrl?.replace(/\/$/, '') ?? listening;
  const isAddressKnown = publicUrl !== undefined || isLoopback(host);
  let access: Access | undefined;
  const { desk } = await loadDesk(path, {
    logger,
    urlOf: (basePath) => (isAddressKnown ? `${origin}${basePath.replace(/\/$/, '')}` : undefined),
    accessOf: (file, url) => {
      access = accessOf(file, settings, url);
      return { authorize: access.authorize, signIn: access.browser ?? file.signIn };
    },
  });
  if (access?.token.kind === 'generated') {
    throw new UserError(
      `\`${path}\` has no \`authorize\`, so no caller would be accepted. Export \`authorize\` beside \`store\` and ` +
        '`agents`, set HOLDPOINT_OIDC_ISSUER, or set HOLDPOINT_TOKEN.',
    );
  }
  return desk;
}

/**
 * Executes runs until a signal arrives. Then drains: health checks fail, and executing tool calls
 * finish.
 */
async function runUntilSignal(
  desk: ServedDesk,
  settings: Settings,
  logger: Logger,
  { hasWorker, onWorking }: { readonly hasWorker: boolean; readonly onWorking?: () => void },
): Promise<void> {
  const { concurrency, reservedSlots, drainMs, drainDelayMs } = settings;
  const { maxRunsPerTenant, maxRunsPerAgent, workerName: name } = settings;
  const worker = { concurrency, reservedSlots, maxRunsPerTenant, maxRunsPerAgent, name, drainMs };
  const run = async (signal: AbortSignal) => {
    const stopped = signal.aborted ? Promise.resolve() : once(signal, 'abort').then(() => {});
    const delayed = stopped.then(async () => {
      logger.info({ event: 'draining', drainMs, drainDelayMs }, 'Stopping.');
      await desk.closeStreams();
      await sleep(drainDelayMs);
    });
    if (hasWorker) {
      const working = desk.startWorker({ signal, ...worker });
      // A worker with invalid settings rejects immediately.
      await Promise.race([working, turn()]);
      onWorking?.();
      await working;
    }
    await delayed;
  };
  await withInterrupt(run, ['SIGINT', 'SIGTERM']);
}

async function stop(server: Server | undefined, desk: ServedDesk, logger: Logger): Promise<void> {
  if (server !== undefined) {
    await closeConnections(server, stopAccepting(server), RESPONSE_GRACE_MS);
  }
  await desk.close();
  logger.info({ event: 'stopped' }, 'Stopped. The next worker resumes unfinished runs.');
  setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
}

async function listenForHealthChecks(
  desk: ServedDesk,
  { host, healthPort }: Settings,
): Promise<Server | undefined> {
  if (healthPort === undefined) return undefined;
  const server = createServer(
    getRequestListener(async (request) => {
      const isHealthCheck = /\/(livez|readyz)$/.test(new URL(request.url).pathname);
      return isHealthCheck ? desk.fetch(request) : new Response(null, { status: 404 });
    }),
  );
  await listen(server, host, healthPort);
  return server;
}
