import type { DeskClient } from '@holdpoint/desk/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { DeskConnection, DeskOptions } from '../desk/connection.ts';

/** Options of every command that uses a desk. */
export interface CommonOptions extends DeskOptions {
  readonly json?: true | undefined;
}

/** Options of lists. */
export interface PageOptions<State = never> {
  /** {@link statesOption} accepts only these. */
  readonly state?: readonly State[] | undefined;
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

/** Adds the options that name a served desk, and `--json`. */
export function addUrlOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .optionsGroup('Desk:')
    .option('--url <address>', 'address of a served desk (default: HOLDPOINT_URL, then login)');
}

/** Adds the options that name a desk, served or in a file, and `--json`. */
export function addDeskOptions(command: Command): Command {
  return addUrlOptions(command)
    .option('--store <file>', 'SQLite file of a desk on this machine')
    .option('--by <id>', 'your id, with --store (default: your user name)')
    .addOption(
      new Option('--role <role>', 'a role of yours, with --store; repeatable').argParser(collect),
    )
    .option('--tenant <id>', 'the tenant, with --store (default: default)');
}

/** Adds the options of a list. */
export function addPageOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--limit <number>', 'maximum number of items (default: 50)').argParser(
        wholeNumber(1, 500),
      ),
    )
    .option('--after <cursor>', 'continue after an earlier page');
}

/** Creates an option that selects items in one of several states. */
export function statesOption(states: readonly string[]): Option {
  return new Option('--state <state...>', 'only items in these states').choices(states);
}

/** Collects the values of a repeatable option. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** Creates a parser for whole numbers. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Pass a whole number from ${min} to ${max}.`);
  };
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `30m`; returns milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (UNITS[unit] ?? 0);
  throw new InvalidArgumentError('Pass a number with a unit, such as 30m, 8h or 7d.');
}

/** Parses a time such as `2027-01-31T18:00Z`; returns it in ISO 8601. */
export function parseTime(text: string): string {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError('Pass a time such as 2027-01-31T18:00Z.');
}

/** Connects to the desk, works with it and closes it. The desk is loaded here, so that other commands start fast. */
export async function withDesk(
  options: DeskOptions,
  work: (client: DeskClient) => Promise<void>,
): Promise<void> {
  await using desk = await connectTo(options);
  await work(desk.client);
}

// TypeScript 6.0 does not rewrite the name of a module that is imported in a function with `using`.
async function connectTo(options: DeskOptions): Promise<DeskConnection> {
  const { connect, locateDesk } = await import('../desk/connection.ts');
  return connect(locateDesk(options, process.env));
}
