import { createRequire } from 'node:module';
import { Command } from 'commander';
import { addCompletionCommand } from './commands/completion.ts';
import { addDataCommands, addDeadLetterCommands, addMaintenanceCommands } from './commands/data.ts';
import {
  addCallbackCommand,
  addCommentCommand,
  addDecisionCommands,
} from './commands/decisions.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addDelegationCommands } from './commands/delegations.ts';
import { addAuditCommands, addGrantCommands, addHoldCommands } from './commands/lists.ts';
import { addLocalCommands } from './commands/local.ts';
import { addLoginCommands } from './commands/login.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addServiceCommands } from './commands/operate.ts';
import { addPolicyCommands } from './commands/policy.ts';
import { addRunCommands } from './commands/runs.ts';

/** Creates the command tree. */
export function createProgram(): Command {
  const program = new Command('holdpoint')
    .description('Agents whose tool calls may need approval.')
    .usage('<command> [options]')
    .version(version(), '-v, --version', 'print the version')
    .configureHelp({ subcommandTerm })
    .helpOption('-h, --help', 'print help; after a command, help for the command')
    .helpCommand(false);
  addLocalCommands(program);
  program.commandsGroup('Operate a desk:');
  addServiceCommands(program);
  addMigrateCommand(program);
  addMaintenanceCommands(program);
  addPolicyCommands(program);
  addKeyCommands(program);
  addDecisionCommands(program);
  program.commandsGroup('Use a desk:');
  addHoldCommands(program);
  addCommentCommand(program);
  addCallbackCommand(program);
  addRunCommands(program);
  addGrantCommands(program);
  addDelegationCommands(program);
  addAuditCommands(program);
  addDeadLetterCommands(program);
  addDataCommands(program);
  program.commandsGroup('Set up:');
  addLoginCommands(program);
  addCompletionCommand(program);
  shortenHelpOptions(program);
  return program;
}

/** Commands inherit the help option, whose text is about the whole program. */
function shortenHelpOptions(program: Command): void {
  for (const command of program.commands) {
    command.helpOption('-h, --help', 'print help');
    shortenHelpOptions(command);
  }
}

/** Returns the name and the arguments of a command, without `[options]`, so that the list is narrow. */
function subcommandTerm(command: Command): string {
  const names = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  return [command.name(), ...names].join(' ');
}

function version(): string {
  const require = createRequire(import.meta.url);
  const { version: text } = require('../package.json') as { version: string }; // this package's file
  return text;
}
