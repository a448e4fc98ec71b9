import { type Command, Option } from 'commander';
import {
  addDeskOptions,
  addPageOptions,
  collect,
  type CommonOptions,
  type PageOptions,
  parseDuration,
  parseTime,
  withDesk,
} from './command-line.ts';

/** Adds `delegations`. */
export function addDelegationCommands(program: Command): void {
  const delegations = program.command('delegations').summary('List, create or revoke delegations');
  delegations
    .helpCommand(false)
    .description(
      'List, create or revoke delegations: who decides on your behalf while you are away.',
    );
  const list = delegations
    .command('list')
    .description('List the delegations from and to you, the latest first.')
    .option('--all', 'include those that have ended');
  addDeskOptions(addPageOptions(list)).action(
    (options: CommonOptions & PageOptions & { readonly all?: true }) =>
      withDesk(options, async (client) => {
        const { all, limit, after } = options;
        const { listDelegations } = await import('../desk/delegations.ts');
        const query = { live: all ? undefined : true, limit, after };
        await listDelegations(client, query, options.json ?? false);
      }),
  );
  const create = delegations
    .command('create <person-id>')
    .description('Let a person decide on your behalf. They decide as themselves, and count once.')
    .addOption(
      new Option('--for <duration>', 'how long, such as 8h or 7d')
        .argParser(parseDuration)
        .conflicts('until'),
    )
    .addOption(
      new Option('--until <time>', 'the end, such as 2027-01-31T18:00Z').argParser(parseTime),
    )
    .option('--lend <role>', 'lend only this role of yours; repeatable', collect);
  addDeskOptions(create).action((personId: string, options: CreateOptions) =>
    withDesk(options, async (client) => {
      const { delegate } = await import('../desk/delegations.ts');
      const { lend: roles, json = false } = options;
      const body = { to: { id: personId }, until: endOf(options), ...(roles && { roles }) };
      await delegate(client, body, json);
    }),
  );
  addDeskOptions(
    delegations
      .command('revoke <delegation-id>')
      .description('Revoke a delegation. Votes that were given with it stay.'),
  ).action((id: string, options: CommonOptions) =>
    withDesk(options, async (client) => {
      const { revokeDelegation } = await import('../desk/delegations.ts');
      await revokeDelegation(client, id, options.json ?? false);
    }),
  );
}

interface CreateOptions extends CommonOptions {
  readonly for?: number | undefined;
  readonly until?: string | undefined;
  readonly lend?: readonly string[] | undefined;
}

const DAY_MS = 24 * 60 * 60_000;

/** Returns the end of a delegation; a day from now by default. */
function endOf({ for: duration = DAY_MS, until }: CreateOptions): string {
  return until ?? new Date(Date.now() + duration).toISOString();
}
