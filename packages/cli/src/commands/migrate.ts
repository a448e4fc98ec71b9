import { type Command, Option } from 'commander';
import { exitWith } from '../errors.ts';
import type { MigrateOptions } from '../operate/migrate.ts';
import { wholeNumber } from './command-line.ts';

/** Adds `migrate` and `migrate status`. */
export function addMigrateCommand(program: Command): void {
  const migrate = program
    .command('migrate')
    .summary('Create or update the tables of a desk')
    .description(
      'Create or update the tables of a desk, in one transaction. Run it as the owner of the tables before you start ' +
        'a new version. The old version keeps working meanwhile. `holdpoint migrate status` lists the migrations, ' +
        'and exits with 3 if some are pending.',
    );
  addDatabaseOptions(migrate)
    .option('--dry-run', 'print the statements, and execute none')
    .option('--app-role <role>', 'role of PostgreSQL that gets the rights to read and write rows')
    .addOption(
      new Option('--lock-timeout <ms>', 'time to wait for a lock (default: 5000)').argParser(
        wholeNumber(1, 3_600_000),
      ),
    )
    .action(async (options: MigrateOptions) => {
      const { migrateDatabase } = await import('../operate/migrate.ts');
      await migrateDatabase(options);
    });
  const status = migrate.command('status').summary('List applied and pending migrations');
  addDatabaseOptions(status).action(async (_: object, command: Command) => {
    const { showSchemaStatus } = await import('../operate/migrate.ts');
    // Options before the name of the subcommand belong to its parent.
    exitWith(await showSchemaStatus(command.optsWithGlobals<MigrateOptions>()));
  });
}

function addDatabaseOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option(
      '--database <address>',
      'postgres://… or an SQLite file (default: HOLDPOINT_DATABASE, then DATABASE_URL)',
    );
}
