import { type Command, Option } from 'commander';
import { UserError } from 'holdpoint';
import type { SignInOptions } from '../desk/access.ts';
import { isTerminal } from '../terminal/prompter.ts';
import { wholeNumber } from './command-line.ts';
import { exitWith } from '../errors.ts';
import type { DemoPart } from '../demo/run-demo.ts';
import type { ServeMcpOptions } from '../mcp/serve-mcp.ts';

interface DeskCommandOptions extends SignInOptions {
  readonly host: string;
  readonly port: number;
  readonly worker: boolean;
  readonly concurrency?: number | undefined;
}

/** Adds the commands that execute agents on this machine: `demo`, `chat`, `acp`, `mcp` and `desk`. */
export function addLocalCommands(program: Command): void {
  program.commandsGroup('Run agents:');
  program
    .command('demo')
    .summary('Watch an agent work, and approve its calls')
    .description(
      'Open a desk on a SQLite file, where you approve calls in the inbox or in the terminal, then show five acts ' +
        'without a desk. `holdpoint demo desk` shows only the desk and keeps it open until Ctrl-C. The demo works ' +
        'in a temporary folder that it deletes at the end.\n\n' +
        'It needs no API key, because the model is scripted. With OPENAI_API_KEY or ANTHROPIC_API_KEY set and ' +
        "the provider's package installed, it uses a real model. HOLDPOINT_MODEL names another model, such as " +
        'openai:gpt-5, or is `scripted`.',
    )
    .addArgument(
      program.createArgument('[part]', 'all or desk').choices(['all', 'desk']).default('all'),
    )
    .action(async (part: DemoPart) => {
      const { runDemo } = await import('../demo/run-demo.ts');
      exitWith(await runDemo(part));
    });
  program
    .command('chat <agent-file>')
    .summary('Chat with an agent, and approve its calls')
    .description(
      'Chat with an agent, and approve its calls. The file is a JavaScript or TypeScript module that exports an ' +
        'Agent, as the default export or as the only one. Its export `deps`, a value or a function, is passed to ' +
        'the agent.\n\nType /exit or press Ctrl-C twice to leave.',
    )
    .action(chat);
  program
    .command('acp <file>')
    .summary('Serve an agent to an editor, and approve its calls there')
    .description(
      'Serve an agent to an editor with the Agent Client Protocol, on standard input and output. Editors start this ' +
        'command themselves. The file is the same as that of `holdpoint chat`. Its export `acp` sets the kinds of tools: ' +
        "{ toolKinds: { write_file: 'edit' } }.\n\nConversations are stored in the state folder of the user. If the " +
        'file exports a desk, as for `holdpoint desk`, the desk stores them, and other people can decide in its inbox. ' +
        'The log is on standard error.',
    )
    .action(async (path: string) => {
      const { serveAcp } = await import('../acp/serve-acp.ts');
      await serveAcp(path, program.version() ?? '');
    });
  program
    .command('mcp <desk-file>')
    .summary('Serve a desk to MCP clients, and execute its runs')
    .description(
      'Serve the agents of a desk to clients of the Model Context Protocol, such as Claude Code and Cursor, on standard ' +
        'input and output. Clients start this command themselves. The file is the same as that of `holdpoint desk`. Each ' +
        'agent is a tool, and an approvalGateway offers the tools of its toolsets.\n\nPeople decide in the inbox: run ' +
        '`holdpoint desk` beside it. The export `mcp` has options: { agents, descriptions, forms, person, roles }. The log ' +
        'is on standard error.',
    )
    .option('--http', 'serve over HTTP on this machine, with a token', false)
    .addOption(
      new Option('--port <number>', 'port for HTTP; 0 for any free one')
        .default(4681)
        .argParser(wholeNumber(0, 65_535)),
    )
    .action(async (path: string, options: ServeMcpOptions) => {
      const { serveMcp } = await import('../mcp/serve-mcp.ts');
      await serveMcp(path, options);
    });
  const desk = program
    .command('desk <desk-file>')
    .summary('Serve a desk, and execute its runs')
    .description(
      'Serve a desk, and execute its runs. The file is a JavaScript or TypeScript module whose default export is ' +
        'the options of openDesk, { store, agents, authorize, http }, or the result of openDesk. Without authorize, ' +
        'the desk accepts connections from this machine only, with the token that it prints or HOLDPOINT_TOKEN. ' +
        'With --oidc-issuer, people sign in with that provider; the client secret is in HOLDPOINT_OIDC_CLIENT_SECRET.' +
        '\n\nCtrl-C finishes responses and tool calls that are in progress. Another worker can resume the runs.',
    )
    .addOption(
      new Option('--port <number>', 'port; 0 for any free one')
        .default(4680)
        .argParser(wholeNumber(0, 65_535)),
    )
    .option('--host <name>', 'address to listen at', '127.0.0.1')
    .option('--no-worker', 'serve requests without executing runs')
    .addOption(
      new Option(
        '--concurrency <number>',
        'runs to execute at the same time (default: 4)',
      ).argParser(wholeNumber(1, 1_000)),
    );
  desk
    .optionsGroup('Sign-in:')
    .option('--url <address>', 'address that people use, if it is another one: https://…')
    .option('--oidc-issuer <address>', 'OpenID provider')
    .option('--oidc-client-id <id>', 'client id of the desk at the provider')
    .option('--oidc-roles-claim <name>', 'claim with the roles (default: roles)')
    .option(
      '--oidc-person-claim <name>',
      'claim that identifies a person (default: issuer and subject)',
    )
    .addOption(
      new Option('--oidc-client-auth <method>', 'how to send the client secret').choices([
        'basic',
        'post',
      ]),
    )
    .option('--oidc-device', 'let people sign in with `holdpoint login --device`')
    .action(async (path: string, options: DeskCommandOptions) => {
      const { serveDesk } = await import('../desk/serve-desk.ts');
      await serveDesk(path, options);
    });
}

async function chat(path: string): Promise<void> {
  const streams = { input: process.stdin, output: process.stdout };
  if (!isTerminal(streams.input) || !isTerminal(streams.output)) {
    throw new UserError(
      'A chat needs a terminal (TTY) for input and output. Run the command in a terminal.',
    );
  }
  const [{ converse }, { loadAgent }] = await Promise.all([
    import('../chat/converse.ts'),
    import('../chat/load-agent.ts'),
  ]);
  await converse(await loadAgent(path), streams);
}
