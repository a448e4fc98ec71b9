import type { DeskClient, RunSummary } from '@holdpoint/desk/client';
import type { Command } from 'commander';
import { withInterrupt } from '../chat/interrupt.ts';
import { addDeskOptions, addUrlOptions, type CommonOptions, withDesk } from './command-line.ts';
import { exitWith } from '../errors.ts';
import { outputClosed } from '../terminal/closed-output.ts';
import { addRunLists } from './lists.ts';

interface StartOptions extends CommonOptions {
  readonly conversation?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

interface MessageOptions extends CommonOptions {
  readonly supersede?: true | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Adds `runs`, a command for each of its actions, `message` and `events`. */
export function addRunCommands(program: Command): void {
  const runs = program.command('runs').summary('List, show, start, cancel or retry runs');
  runs
    .helpCommand(false)
    .description('List, show, start, cancel or retry runs. `holdpoint runs` lists them.');
  addRunLists(runs);
  for (const parent of [runs, program]) {
    addStart(parent);
    addChange(parent, 'cancel', {
      summary: 'Cancel a run',
      description: 'Cancel a run. Its open holds are cancelled too.',
      change: (client, id) => client.cancel(id),
    });
    addChange(parent, 'retry', {
      summary: 'Retry a stuck run',
      description: 'Retry a stuck run. A worker executes it again.',
      change: (client, id) => client.retry(id),
    });
  }
  addMessage(program);
  addDeskOptions(
    program
      .command('events')
      .summary('Print events as they happen')
      .description('Print events as they happen, until Ctrl-C; with --json, one JSON line each.'),
  ).action((options: CommonOptions) =>
    withDesk(options, async (client) => {
      const { printEvents } = await import('../desk/runs.ts');
      await withInterrupt(
        (signal) =>
          printEvents(client, options.json ?? false, AbortSignal.any([signal, outputClosed])),
        ['SIGINT', 'SIGTERM'],
      );
      if (!outputClosed.aborted) exitWith(130);
    }),
  );
}

function addStart(parent: Command): void {
  const start = parent
    .command('start <agent> <prompt>')
    .summary('Start a run')
    .description('Start a run of an agent at a served desk.')
    .option('--conversation <id>', 'continue or create this conversation')
    .option('--idempotency-key <key>', 'start at most one run for this key');
  addUrlOptions(start).action((agent: string, prompt: string, options: StartOptions) => {
    const { conversation: conversationId, idempotencyKey } = options;
    return printRunOf(options, 'Started', (client) =>
      client.start({
        agent,
        prompt,
        conversationId,
        idempotencyKey,
      }),
    );
  });
}

function addMessage(program: Command): void {
  const message = program
    .command('message <conversation-id> <text>')
    .summary('Send a message to a conversation')
    .description(
      'Send a message to a conversation. The desk rejects it if the conversation has open holds.',
    )
    .option('--supersede', 'supersede open holds: their calls are not executed')
    .option('--idempotency-key <key>', 'deliver the message at most once for this key');
  addUrlOptions(message).action(
    (conversationId: string, prompt: string, options: MessageOptions) => {
      const { supersede, idempotencyKey } = options;
      const onOpenHolds = supersede && 'supersede';
      return printRunOf(options, 'Sent the message to', (client) =>
        client.message(conversationId, {
          prompt,
          onOpenHolds,
          idempotencyKey,
        }),
      );
    },
  );
}

interface Change {
  readonly summary: string;
  readonly description: string;
  readonly change: (client: DeskClient, runId: string) => Promise<RunSummary>;
}

function addChange(
  parent: Command,
  verb: 'cancel' | 'retry',
  { summary, description, change }: Change,
): void {
  const command = parent.command(`${verb} <run-id>`).summary(summary).description(description);
  addDeskOptions(command).action((runId: string, options: CommonOptions) =>
    printRunOf(options, verb === 'cancel' ? 'Cancelled' : 'Retried', async (client) => {
      const { findRun } = await import('../desk/find-id.ts');
      return change(client, await findRun(client, runId));
    }),
  );
}

function printRunOf(
  options: CommonOptions,
  verb: string,
  request: (client: DeskClient) => Promise<RunSummary>,
): Promise<void> {
  return withDesk(options, async (client) => {
    const { printRun } = await import('../desk/runs.ts');
    printRun(await request(client), verb, options.json ?? false);
  });
}
