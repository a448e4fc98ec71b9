import type { Command } from 'commander';
import type { Settings } from '../operate/settings.ts';

interface ServiceOptions {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly healthPort?: string | undefined;
  readonly worker?: true | undefined;
  readonly concurrency?: string | undefined;
  readonly reservedSlots?: string | undefined;
  readonly maxRunsPerTenant?: string | undefined;
  readonly maxRunsPerAgent?: string | undefined;
  readonly workerName?: string | undefined;
}

/** Adds `serve` and `worker`, which run a desk as a service. */
export function addServiceCommands(program: Command): void {
  const serve = program
    .command('serve [desk-file]')
    .summary('Serve a desk as a service')
    .description(
      'Serve the API and the inbox of a desk. Settings come from options, then from HOLDPOINT_* variables, then from ' +
        'a JSON file. Log lines are JSON on standard error. On SIGTERM, /readyz fails, responses and tool calls in ' +
        'progress finish, and the process exits.',
    );
  addSharedOptions(serve)
    .option('--port <number>', 'port (HOLDPOINT_PORT; default: 4680)')
    .option('--worker', 'execute runs, too (HOLDPOINT_WORKER)')
    .action(async (file: string | undefined, options: ServiceOptions) => {
      const { serveProcess } = await import('../operate/process.ts');
      await serveProcess(await settingsOf(file, options));
    });
  const worker = program
    .command('worker [desk-file]')
    .summary('Execute the runs of a desk as a service')
    .description(
      'Execute the runs of a desk, without serving requests. Settings are those of `holdpoint serve`. On SIGTERM, ' +
        'model requests are aborted, tool calls in progress finish, and the process exits.',
    );
  addSharedOptions(worker)
    .option('--health-port <number>', 'port for /livez and /readyz (HOLDPOINT_HEALTH_PORT)')
    .action(async (file: string | undefined, options: ServiceOptions) => {
      const { workerProcess } = await import('../operate/process.ts');
      await workerProcess(await settingsOf(file, options));
    });
}

function addSharedOptions(command: Command): Command {
  return command
    .option(
      '--config <file>',
      'JSON file with settings (HOLDPOINT_CONFIG; default: holdpoint.json)',
    )
    .option('--host <name>', 'address to listen at (HOLDPOINT_HOST; default: 127.0.0.1)')
    .option('--concurrency <number>', 'tasks at the same time (HOLDPOINT_CONCURRENCY; default: 4)')
    .option('--reserved-slots <list>', 'slots by kind of task (HOLDPOINT_RESERVED_SLOTS)')
    .option('--max-runs-per-tenant <number>', 'runs of a tenant (HOLDPOINT_MAX_RUNS_PER_TENANT)')
    .option('--max-runs-per-agent <list>', 'runs of an agent (HOLDPOINT_MAX_RUNS_PER_AGENT)')
    .option('--worker-name <name>', 'name stored with claimed tasks (HOLDPOINT_WORKER_NAME)');
}

async function settingsOf(desk: string | undefined, options: ServiceOptions): Promise<Settings> {
  const { readSettings } = await import('../operate/settings.ts');
  const { config: file, worker, ...flags } = options;
  return readSettings({
    file,
    environment: process.env,
    flags: { ...flags, desk, ...(worker && { worker: 'true' }) },
  });
}
