import type { DeskClient } from '@holdpoint/desk/client';
import { type Command, Option } from 'commander';
import {
  addDeskOptions,
  addPageOptions,
  type CommonOptions,
  type PageOptions,
  withDesk,
} from './command-line.ts';

const KINDS = ['run', 'expiry', 'outbox', 'webhook'] as const;

interface ErasureCommandOptions extends CommonOptions {
  readonly reason: string;
}

interface MaintenanceOptions {
  readonly dryRun?: true | undefined;
  readonly json?: true | undefined;
}

/** Adds `conversations` and `people`: erasure and export. */
export function addDataCommands(program: Command): void {
  addDataGroup(program, 'conversations', 'conversation', {
    erase: (client, id, reason) => client.eraseConversation(id, { reason }),
    records: (client, id) => client.exportConversation(id),
  });
  addDataGroup(program, 'people', 'person', {
    erase: (client, person, reason) => client.erasePerson({ person, reason }),
    records: (client, id) => client.exportPerson(id),
  });
}

interface DataActions {
  readonly erase: (client: DeskClient, id: string, reason: string) => Promise<object>;
  readonly records: (client: DeskClient, id: string) => AsyncIterable<object>;
}

function addDataGroup(program: Command, name: string, noun: string, actions: DataActions): void {
  const group = program.command(name).summary(`Erase or export the data of a ${noun}`);
  group
    .helpCommand(false)
    .description(`Erase or export the data of a ${noun}. Only administrators may.`);
  addDeskOptions(
    group
      .command(`erase <${noun}-id>`)
      .description(`Erase a ${noun}. The audit stays verifiable and records the erasure.`)
      .requiredOption('--reason <text>', 'the reason, which the audit stores'),
  ).action((id: string, options: ErasureCommandOptions) =>
    withDesk(options, async (client) => {
      const { printJson } = await import('../desk/format.ts');
      printJson(await actions.erase(client, id, options.reason));
    }),
  );
  addDeskOptions(
    group
      .command(`export <${noun}-id>`)
      .description(`Print everything that is stored about a ${noun}, as JSON lines.`),
  ).action((id: string, options: CommonOptions) =>
    withDesk(options, async (client) => {
      const { printJsonLine } = await import('../desk/format.ts');
      for await (const record of actions.records(client, id)) printJsonLine(record);
    }),
  );
}

/** Adds `dead-letters`. */
export function addDeadLetterCommands(program: Command): void {
  const letters = program
    .command('dead-letters')
    .summary('List, replay or discard tasks that were given up');
  letters
    .helpCommand(false)
    .description('List, replay or discard tasks that were given up. Only administrators may.');
  const list = letters.command('list').description('List dead letters, the oldest first.');
  addDeskOptions(addPageOptions(list)).action((options: CommonOptions & PageOptions) =>
    withDesk(options, async (client) => {
      const { limit, after, json: isJson = false } = options;
      const { listDeadLetters } = await import('../desk/dead-letters.ts');
      await listDeadLetters(client, { limit, after }, isJson);
    }),
  );
  for (const [action, description] of [
    ['replay', 'Make a task due again, with all of its attempts. A stuck run is retried.'],
    ['discard', 'Delete a notification or a webhook that was given up.'],
  ] as const) {
    const command = letters.command(action).description(description);
    command.addArgument(command.createArgument('<kind>').choices(KINDS)).argument('<task-id>');
    addDeskOptions(command).action(
      (kind: (typeof KINDS)[number], id: string, options: CommonOptions) =>
        withDesk(options, async (client) => {
          const { changeDeadLetter } = await import('../desk/dead-letters.ts');
          await changeDeadLetter(client, action, { kind, id });
        }),
    );
  }
}

/** Adds the commands that open a desk file for maintenance: `retention` and `restored`. */
export function addMaintenanceCommands(program: Command): void {
  const json = () => new Option('--json', 'print JSON');
  program
    .command('retention <desk-file>')
    .summary('Delete data that is older than the desk keeps')
    .description(
      'Delete data that is older than the option `retention` of the desk permits, of all tenants. Nothing ' +
        'pending is deleted. The file is the same as for `holdpoint desk`.',
    )
    .option('--dry-run', 'count the rows and delete nothing')
    .addOption(json())
    .action(async (path: string, options: MaintenanceOptions) => {
      const { applyRetention } = await import('../desk/maintenance.ts');
      await applyRetention(path, options);
    });
  program
    .command('restored <desk-file>')
    .summary('Record that the database was restored from a backup')
    .description(
      'Record that the database was restored from a backup. Run it before a worker starts: runs from before the ' +
        'restore are not resumed, since the backup lacks later executions. The file is the same as for `holdpoint desk`.',
    )
    .action(async (path: string) => {
      const { markRestored } = await import('../desk/maintenance.ts');
      await markRestored(path);
    });
}
