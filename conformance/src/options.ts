import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** The options of a replay. */
export interface ReplayOptions {
  /** The folder with the cases. */
  readonly directory: string;
  /** Replays on an environment of `holdpoint/testing` instead of the library's own. */
  readonly environment?: EnvironmentName | undefined;
  /** Replays only the cases of these names; `group/` stands for the whole group. */
  readonly only?: readonly string[] | undefined;
}

const ENVIRONMENTS = ['record', 'replay', 'shuffle'] as const;

export type EnvironmentName = (typeof ENVIRONMENTS)[number];

/** Reads the command line: `[DIR] [--environment NAME] [--only NAME]...`. */
export function readOptions(args: readonly string[]): ReplayOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { environment: { type: 'string' }, only: { type: 'string', multiple: true } },
  });
  const [directory, ...more] = positionals;
  if (more.length > 0) throw new Error(`One folder at a time, please; there are also ${more}.`);
  return {
    directory: directory === undefined ? ownData() : resolve(whereCalled(), directory),
    environment: environmentName(values.environment),
    only: values.only,
  };
}

function environmentName(name: string | undefined): EnvironmentName | undefined {
  if (name === undefined) return undefined;
  const known = ENVIRONMENTS.find((each) => each === name);
  if (known === undefined) {
    throw new Error(`There is no environment '${name}'; choose from ${ENVIRONMENTS.join(', ')}.`);
  }
  return known;
}

function ownData(): string {
  return fileURLToPath(new URL('../data', import.meta.url));
}

/** npm runs scripts in the root of the repository, wherever it was called. */
function whereCalled(): string {
  return process.env['INIT_CWD'] ?? process.cwd();
}
