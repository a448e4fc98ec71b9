import type { KeyScope } from '@holdpoint/desk';
import { type Command, Option } from 'commander';
import { addDeskOptions, type CommonOptions, parseDuration, withDesk } from './command-line.ts';

// A record, so that a scope that is missing here does not compile. The desk is not loaded for it.
const SCOPES = Object.keys({
  start: true,
  request: true,
  decide: true,
  read: true,
  administer: true,
} satisfies Record<KeyScope, true>);

/** Adds `keys`. */
export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').summary('Manage the keys of service accounts');
  keys
    .helpCommand(false)
    .description(
      'List, create, rotate or revoke the keys of service accounts. Only administrators may.',
    );
  addDeskOptions(
    keys.command('list').description('List keys, the oldest first, without their secrets.'),
  ).action((options: CommonOptions) =>
    withDesk(options, async (client) => {
      const { listKeys } = await import('../desk/keys.ts');
      await listKeys(client, options.json ?? false);
    }),
  );
  const create = keys
    .command('create <account>')
    .description('Create a key of a service account, and print its secret once.')
    .addOption(
      new Option('--scope <scope...>', 'what the key may do').choices(SCOPES).makeOptionMandatory(),
    )
    .option(
      '--expires <duration>',
      'time until it expires, such as 30d (default: 90d)',
      parseDuration,
    );
  addDeskOptions(create).action((account: string, options: CommonOptions & CreateOptions) =>
    withDesk(options, async (client) => {
      const { createKey } = await import('../desk/keys.ts');
      const { scope: scopes, expires: expiresAfter } = options;
      await createKey(client, { account, scopes, expiresAfter }, options.json ?? false);
    }),
  );
  const rotate = keys
    .command('rotate <key-id>')
    .description(
      'Replace a key by one with the same scopes, print its secret once, and revoke the old one.',
    )
    .option('--expires <duration>', 'time until the new key expires (default: 90d)', parseDuration);
  addDeskOptions(rotate).action((id: string, options: CommonOptions & ExpiryOptions) =>
    withDesk(options, async (client) => {
      const { rotateKey } = await import('../desk/keys.ts');
      await rotateKey(client, id, { expiresAfter: options.expires }, options.json ?? false);
    }),
  );
  addDeskOptions(
    keys.command('revoke <key-id>').description('Revoke a key. Requests with it are rejected.'),
  ).action((id: string, options: CommonOptions) =>
    withDesk(options, async (client) => {
      const { revokeKey } = await import('../desk/keys.ts');
      await revokeKey(client, id, options.json ?? false);
    }),
  );
}

interface ExpiryOptions {
  readonly expires?: number | undefined;
}

interface CreateOptions extends ExpiryOptions {
  readonly scope: readonly KeyScope[];
}
