import { text as readText } from 'node:stream/consumers';
import type { Command } from 'commander';
import { UserError } from 'holdpoint';
import { isTerminal } from '../terminal/prompter.ts';
import { Screen } from '../terminal/screen.ts';
import { addUrlOptions, type CommonOptions, withDesk } from './command-line.ts';
import { Exit } from '../errors.ts';
import type { Credentials } from '../desk/credentials.ts';

/** Adds `login`, `logout` and `whoami`. */
export function addLoginCommands(program: Command): void {
  addUrlOptions(
    program
      .command('login')
      .summary('Store the address of a desk and your token')
      .description(
        'Store the address of a desk and your token for later commands. The token comes from HOLDPOINT_TOKEN, ' +
          'from standard input, or from a prompt, never from an argument, which other users could see. ' +
          'With --device, you sign in at the OpenID provider of the desk with a code, in any browser. ' +
          'Only you can read the file that it is stored in.',
      )
      .option('--device', 'sign in with a code at the OpenID provider of the desk'),
  ).action(login);
  program
    .command('logout')
    .summary('Delete the stored address and token')
    .description('Delete the stored address and token.')
    .option('--json', 'print JSON')
    .action(logout);
  addUrlOptions(
    program
      .command('whoami')
      .summary('Show your id, roles and tenant')
      .description('Show your id, roles and tenant, and the agents of the desk.'),
  ).action((options: CommonOptions) =>
    withDesk(options, async (client) => {
      const [me, { printJson, personText }] = await Promise.all([
        client.me(),
        import('../desk/format.ts'),
      ]);
      if (options.json) return printJson(me);
      const { showFields } = await import('../terminal/values.ts');
      const { tenant, person, roles, agents } = me;
      const fields = {
        person: personText(person),
        roles: roles.join(', ') || 'none',
        tenant,
        agents: agents.join(', '),
      };
      new Screen(process.stdout).plain(...showFields(fields));
    }),
  );
}

async function login(options: CommonOptions & { readonly device?: true }): Promise<void> {
  const { connect, requireHttp } = await import('../desk/connection.ts');
  const url = options.url || process.env['HOLDPOINT_URL'];
  if (!url) {
    throw new UserError('Missing address of the desk. Pass `--url`, or set `HOLDPOINT_URL`.');
  }
  requireHttp(url);
  const token = options.device
    ? await tokenOfProvider(url, options)
    : (process.env['HOLDPOINT_TOKEN'] || (await enterToken(url))).trim();
  if (token === '') throw new UserError('The token is empty. Pass it on standard input.');
  const { client } = await connect({ kind: 'url', url, token });
  const { person } = await client.me();
  const { writeCredentials } = await import('../desk/credentials.ts');
  const { personText, printJson } = await import('../desk/format.ts');
  const path = writeCredentials(process.env, { url, token });
  if (options.json) return printJson({ url, person, path });
  new Screen(process.stdout).plain(
    { text: `Logged in to ${url} as ${personText(person)}.`, style: 'green' },
    { text: `The token is stored in ${path}.`, style: 'dim' },
  );
}

/** Signs in at the provider of the desk. Returns the token of the session. */
async function tokenOfProvider(url: string, { json }: CommonOptions): Promise<string> {
  const { connect } = await import('../desk/connection.ts');
  const { signInWithCode } = await import('../desk/device-sign-in.ts');
  const { client } = await connect({ kind: 'url', url, token: undefined });
  // Standard output is for the result.
  const screen = new Screen(json ? process.stderr : process.stdout);
  return (await signInWithCode(client, screen)).token;
}

async function enterToken(url: string): Promise<string> {
  if (!isTerminal(process.stdin)) return readText(process.stdin);
  const { isCancel, password } = await import('@clack/prompts');
  const token = await password({ message: `Token for ${url}` });
  if (isCancel(token)) throw new Exit(130);
  return token;
}

async function logout(options: { readonly json?: true }): Promise<void> {
  const { deleteCredentials } = await import('../desk/credentials.ts');
  const stored = await readableCredentials();
  const isDeleted = deleteCredentials(process.env);
  const problem = stored && (await endSession(stored));
  if (options.json) return console.log(JSON.stringify({ loggedOut: isDeleted, problem }));
  if (problem !== undefined) {
    const text = `The session at the desk did not end, and is valid until it expires: ${problem}`;
    new Screen(process.stderr).plain({ text, style: 'yellow' });
  }
  console.log(isDeleted ? 'Logged out. The stored token was deleted.' : 'You are not logged in.');
}

/**
 * Returns the stored credentials, or `undefined` if they are missing or unreadable. Unreadable
 * credentials are only deleted.
 */
async function readableCredentials(): Promise<Credentials | undefined> {
  const { readCredentials } = await import('../desk/credentials.ts');
  try {
    return readCredentials(process.env);
  } catch {
    return undefined;
  }
}

/** Ends the session of a stored token, if it has one. Returns the reason if that fails. */
async function endSession({ url, token }: Credentials): Promise<string | undefined> {
  if (!token.startsWith(SESSION_PREFIX)) return undefined;
  const { connect } = await import('../desk/connection.ts');
  const { client } = await connect({ kind: 'url', url, token });
  try {
    await client.endSession();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The beginning of the tokens of sessions that `login --device` starts. */
const SESSION_PREFIX = 'hps_';
