import { parseArgs } from 'node:util';
import { type Option, type Options, UsageError } from './command.ts';
import { didYouMean } from './did-you-mean.ts';

/** What was given for options. */
export type OptionValues<Given extends Options> = {
  readonly [Name in keyof Given]?: ValueOf<Given[Name]> | undefined;
};

type ValueOf<One extends Option> = One['kind'] extends 'switch'
  ? boolean
  : One['kind'] extends 'texts'
    ? readonly string[]
    : string;

/** How many arguments a command takes beside its options. */
export interface Count {
  readonly least: number;
  readonly most: number;
}

/** The arguments of a command beside its options. */
export interface ArgumentCount extends Count {
  /** Their names as the usage shows them, such as `<hold-id>`, for messages. */
  readonly names?: readonly string[] | undefined;
}

/** What was typed after a command. */
export interface Arguments<Given extends Options> {
  readonly values: OptionValues<Given>;
  readonly positionals: readonly string[];
}

/** Reads what was typed after a command; throws a {@link UsageError} for what the command does not take. */
export function readArguments<const Given extends Options>(
  args: readonly string[],
  options: Given,
  { least, most, names = [] }: ArgumentCount,
): Arguments<Given> {
  const { values, positionals } = parse(args, options);
  if (positionals.length < least) {
    const name = names[positionals.length];
    throw new UsageError(name === undefined ? 'Missing argument.' : `Missing argument: ${name}.`);
  }
  const tooMany = positionals[most];
  if (tooMany !== undefined) throw new UsageError(`Unexpected argument: ${tooMany}.`);
  // The kinds of the options say what their values are.
  return { values: values as OptionValues<Given>, positionals };
}

function parse(args: readonly string[], options: Options) {
  const config = Object.entries(options).map(([name, { kind }]) => [
    name,
    { type: kind === 'switch' ? ('boolean' as const) : 'string', multiple: kind === 'texts' },
  ]);
  try {
    return parseArgs({
      args: [...args],
      options: Object.fromEntries(config),
      allowPositionals: true,
    });
  } catch (error) {
    throw new UsageError(problemOf(error, options), { cause: error });
  }
}

function problemOf(error: unknown, options: Options): string {
  const { code, message } = Object(error) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  const [, option = ''] = /'(-[^' ]*)/.exec(String(message)) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const known = Object.keys(options).map((name) => `--${name}`);
    return `Unknown option: ${option}.${didYouMean(option, known)}`;
  }
  if (String(message).includes('does not take an argument')) {
    return `Option ${option} takes no value.`;
  }
  return `Missing value for option ${option}. Write a value that begins with - as ${option}=-….`;
}

/** A whole number that was given for an option. */
export function readNumber(
  name: string,
  text: string | undefined,
  { least, most }: Count,
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${name} is a whole number from ${least} to ${most}, and not '${text}'.`);
}
