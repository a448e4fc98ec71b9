import { AgentError } from 'holdpoint';
import { type Command, CommanderError } from 'commander';
import { Exit, UsageError } from './errors.ts';
import { createProgram } from './program.ts';
import { visible } from './terminal/visible.ts';

/** Runs the program; returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const program = createProgram();
  let current: Command = program;
  forEachCommand(program, (command) => {
    command.exitOverride((error) => {
      current = command;
      throw error;
    });
    command.configureOutput({ writeErr: () => {} });
    command.hook('preAction', (_, action) => {
      current = action;
    });
  });
  try {
    await program.parseAsync(withDefaultVerb(program, args), { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.exitCode;
    if (error instanceof CommanderError && error.exitCode === 0) return 0; // help or version
    return report(failureOf(error, current), args);
  }
}

function forEachCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const nested of command.commands) forEachCommand(nested, visit);
}

/** Lists the items of a noun if no verb follows: `holds` is `holds list`. */
function withDefaultVerb(program: Command, args: readonly string[]): readonly string[] {
  const [name, verb = '--', ...rest] = args;
  if (name === undefined) return ['--help'];
  const noun = program.commands.find((command) => command.name() === name);
  const hasList = noun?.commands.some((command) => command.name() === 'list') ?? false;
  if (!hasList || !verb.startsWith('-') || verb === '--help' || verb === '-h') return args;
  return [name, 'list', ...(args.length === 1 ? [] : [verb, ...rest])];
}

/** The printed form of an error. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly exitCode: 1 | 2;
  /** True if the code is printed behind the message. */
  readonly hasPublicCode?: boolean | undefined;
  /** An unexpected error, which is printed with its stack. */
  readonly cause?: unknown;
}

function failureOf(error: unknown, command: Command): Failure {
  if (error instanceof CommanderError || error instanceof UsageError) {
    const problem = error instanceof UsageError ? error.message : problemOf(error, command);
    const usage = `Usage: ${pathOf(command)} ${command.usage()}`;
    return { code: 'usage', message: `${problem} ${usage}`, exitCode: 2 };
  }
  if (error instanceof AgentError) {
    return { code: error.code, message: error.message, exitCode: 1 };
  }
  if (isDeskError(error)) {
    return { code: error.code, message: error.message, exitCode: 1, hasPublicCode: true };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'unexpected', message, exitCode: 1, cause: error };
}

/** True for an error of the desk. Compares names, because most commands do not load the desk. */
function isDeskError(error: unknown): error is Error & { readonly code: string } {
  const names = ['DeskError', 'DeskClientError'];
  return error instanceof Error && names.includes(error.name) && 'code' in error;
}

function report(failure: Failure, args: readonly string[]): number {
  const { code, message, exitCode, hasPublicCode, cause } = failure;
  const end = args.indexOf('--');
  if ((end < 0 ? args : args.slice(0, end)).includes('--json')) {
    console.error(JSON.stringify({ error: { code, message } }));
  } else if (cause !== undefined) {
    console.error(cause);
  } else {
    const suffix = hasPublicCode ? ` (${code})` : '';
    console.error(`holdpoint: ${visible(message)}${suffix}`);
  }
  return exitCode;
}

/** Returns Commander's message in the words of this program. */
function problemOf({ code, message }: CommanderError, command: Command): string {
  const quotes = [...message.matchAll(/'([^']*)'/g)].map(([, text = '']) => text);
  const [first = '', second = ''] = quotes;
  const [, similar] = /Did you mean (?:one of )?(.*)\?\)/.exec(message) ?? [];
  const prefix = pathOf(command).split(' ').slice(1).join(' ');
  const named = (name: string) => `${prefix} ${name}`.trim();
  const suggestion = similar === undefined ? '' : ` Did you mean: ${similar}?`;
  switch (code) {
    case 'commander.unknownCommand':
      return `Unknown command: ${named(first)}.${
        similar === undefined ? '' : ` Did you mean: ${similar.split(', ').map(named).join(', ')}?`
      }`;
    case 'commander.unknownOption':
      return `Unknown option: ${first}.${suggestion || commandHint(first, command)}`;
    case 'commander.missingArgument':
      return `Missing argument: <${first}>.`;
    case 'commander.excessArguments':
      return `Unexpected argument: ${/got \d+: (.*)\.$/.exec(message)?.[1]?.split(', ').at(-1) ?? ''}.`;
    case 'commander.missingMandatoryOptionValue':
      return `Missing option: ${first}.`;
    case 'commander.optionMissingArgument':
      return `Missing value for option ${first}.`;
    case 'commander.invalidArgument': {
      const [, advice = ''] = /(?:is invalid|argument '.*')\. ([^]*)$/.exec(message) ?? [];
      const [subject, value] = message.startsWith('error: option')
        ? [`option ${first}`, second]
        : [`argument <${second}>`, first];
      return `Invalid value for ${subject}: ${value}. ${advice}`;
    }
    case 'commander.help':
      return `Missing command: ${command.commands.map((one) => named(one.name())).join(', ')}.`;
    default:
      return `${message.replace(/^error: /, '')}.`;
  }
}

/** Returns where to pass an option of the commands below a command. */
function commandHint(option: string, command: Command): string {
  const [flag] = option.split('=');
  const isKnown = command.commands.some(({ options }) => options.some(({ long }) => long === flag));
  return isKnown ? ` Pass it after the command: ${pathOf(command)} <command> ${flag} …` : '';
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
