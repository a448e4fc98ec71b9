import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const repository: string = fileURLToPath(new URL('../../../..', import.meta.url));

/** The Node version that the repository installs. It executes TypeScript. */
const node = `${repository}node_modules/.bin/node`;

/** The oldest Node that the packages support. */
const oldestNode = `${repository}scripts/node-22/node_modules/.bin/node`;

/** The folder and further environment variables of a program. */
interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Executes a Node program and returns its output. If it fails, the error contains the output. */
export function runNode(args: readonly string[], options: ProgramOptions = {}): Promise<string> {
  return run(node, args, { cwd: options.cwd, env: { ...process.env, ...options.env } });
}

/** Runs a program on the oldest Node that the packages support. */
export function runOldestNode(args: readonly string[], cwd: string): Promise<string> {
  return run(oldestNode, args, { cwd, env: { ...process.env, OPENAI_API_KEY: 'none' } });
}

/** Runs the TypeScript compiler of the repository. */
export function runTsc(args: readonly string[], cwd: string): Promise<string> {
  return runNode([`${repository}node_modules/typescript/bin/tsc`, ...args], { cwd });
}

/** Executes the npm of the test run, or that of the machine, without network access. */
export function runNpm(args: readonly string[], cwd: string): Promise<string> {
  const env = {
    ...process.env,
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'error',
  };
  const npm = process.env['npm_execpath'];
  return npm === undefined
    ? run('npm', args, { cwd, env })
    : run(node, [npm, ...args], { cwd, env });
}

/** Unpacks a tarball of npm into a folder that exists, without the folder that npm wraps it in. */
export async function unpack(tarball: string, into: string): Promise<void> {
  await run('tar', ['-xzf', tarball, '-C', into, '--strip-components=1'], { env: process.env });
}

function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string | undefined; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      command,
      args,
      { ...options, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${error.message}\n${stdout}${stderr}`, { cause: error }));
      },
    );
  });
}
