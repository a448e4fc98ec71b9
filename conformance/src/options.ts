import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** The options of a replay. */
export interface ReplayOptions {
  /** The folder with the cases. */
  readonly directory: string;
  /** The environment of `holdpoint/testing` to replay on, instead of the library's default. */
  readonly environment?: EnvironmentName | undefined;
  /** Restricts the replay to the cases of these names. `group/` is a whole group. */
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
  if (more.length > 0)
    throw new Error(`Unexpected arguments: ${more.join(', ')}. Pass one folder.`);
  return {
    directory: directory === undefined ? defaultFolder() : resolve(callerFolder(), directory),
    environment: environmentName(values.environment),
    only: values.only,
  };
}

function environmentName(name: string | undefined): EnvironmentName | undefined {
  if (name === undefined) return undefined;
  const known = ENVIRONMENTS.find((each) => each === name);
  if (known === undefined) {
    throw new Error(`Unknown environment: ${name}. Pass one of: ${ENVIRONMENTS.join(', ')}.`);
  }
  return known;
}

function defaultFolder(): string {
  return fileURLToPath(new URL('../data', import.meta.url));
}

/** Returns the folder of the caller. npm executes scripts in the root of the repository. */
function callerFolder(): string {
  return process.env['INIT_CWD'] ?? process.cwd();
}
