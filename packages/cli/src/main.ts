import { createRequire } from 'node:module';
import { AgentError } from 'holdpoint';
import { answer, approve, deny } from './commands/answers.ts';
import { audit } from './commands/audit.ts';
import { chat } from './commands/chat.ts';
import { type Command, UsageError } from './commands/command.ts';
import { demo } from './commands/demo.ts';
import { didYouMean } from './commands/did-you-mean.ts';
import { desk } from './commands/desk.ts';
import { grants } from './commands/grants.ts';
import { holds } from './commands/holds.ts';
import { runs } from './commands/runs.ts';
import { visible } from './terminal/visible.ts';

/** Everything that the program can do. */
const COMMANDS: readonly Command[] = [
  demo,
  chat,
  desk,
  runs,
  holds,
  approve,
  deny,
  answer,
  grants,
  audit,
];

/** Runs the program; gives its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    console.log(help());
    return 0;
  }
  if (name === '--version' || name === '-v') {
    console.log(version());
    return 0;
  }
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) {
    const known = COMMANDS.map((one) => one.name);
    const hint = didYouMean(name, known) || ' Run holdpoint --help to list the commands.';
    return complain(`Unknown command: ${name}.${hint}`, 2);
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(helpOf(command));
    return 0;
  }
  return run(command, rest);
}

async function run(command: Command, args: readonly string[]): Promise<number> {
  try {
    return await command.run(args);
  } catch (error) {
    if (error instanceof UsageError) {
      return complain(`${error.message} Usage: holdpoint ${command.usage}`, 2);
    }
    // What teaches needs no stack; what is unexpected does.
    if (error instanceof AgentError) return complain(error.message, 1);
    if (isRefusal(error)) return complain(`${error.message} (${error.code})`, 1);
    console.error(error);
    return 1;
  }
}

/** Whether a desk has said no. By its name: most commands have no desk, and load none. */
function isRefusal(error: unknown): error is Error & { readonly code: string } {
  const names = ['DeskError', 'EditDoesNotFitError', 'HoldSettledError', 'DeskClientError'];
  return error instanceof Error && names.includes(error.name) && 'code' in error;
}

function complain(problem: string, exitCode: number): number {
  console.error(`holdpoint: ${visible(problem)}`);
  return exitCode;
}

function help(): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length));
  const commands = COMMANDS.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`);
  return [
    'Usage: holdpoint <command>',
    '',
    'Agents whose tool calls can wait for a person.',
    '',
    'Commands:',
    ...commands,
    '',
    'Options:',
    `  ${'--help'.padEnd(width)}  this text; after a command, that of the command`,
    `  ${'--version'.padEnd(width)}  the version`,
  ].join('\n');
}

function helpOf({ usage, description, options = {} }: Command): string {
  const named = Object.entries(options).map(
    ([name, { value, help: text }]) => [`--${name}${value ? ` ${value}` : ''}`, text] as const,
  );
  const width = Math.max(0, ...named.map(([name]) => name.length));
  const lines = named.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
  const takes = lines.length === 0 ? '' : ' [options]';
  return [
    `Usage: holdpoint ${usage}${takes}`,
    '',
    description,
    ...(lines.length === 0 ? [] : ['', 'Options:', ...lines]),
  ].join('\n');
}

function version(): string {
  const require = createRequire(import.meta.url);
  const { version: own } = require('../package.json') as { version: string }; // our own file
  return own;
}
