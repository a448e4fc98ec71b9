import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { importsFromOutside } from './module-imports.ts';
import { repository } from './run-program.ts';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Returns the packages that the sources and tests of a project import and its manifest does not declare. */
export async function undeclaredImports(project: string): Promise<readonly string[]> {
  const { dependencies } = await manifestOf(project);
  const files = globSync('{src,test}/**/*.ts', { cwd: project });
  const texts = await Promise.all(files.map((file) => readFile(join(project, file), 'utf8')));
  const packages = texts
    .flatMap(importsFromOutside)
    .filter((name) => !name.startsWith('node:'))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  return [...new Set(packages)].filter((name) => !Object.hasOwn(dependencies, name));
}

/** Returns the declared versions of a project that differ from those that this repository is tested with. */
export async function differingVersions(project: string): Promise<readonly string[]> {
  const { dependencies, devDependencies } = await manifestOf(project);
  const declared = Object.entries({ ...dependencies, ...devDependencies });
  const workspace = /^(@holdpoint\/|holdpoint$)/;
  const differing: string[] = [];
  for (const [name, range] of declared) {
    if (workspace.test(name)) continue;
    const { version } = await manifestOf(join(repository, 'node_modules', name));
    if (range !== `^${version}`) differing.push(`${name}: ${range}, not ^${version}`);
  }
  return differing;
}

async function manifestOf(folder: string): Promise<Manifest & { readonly version: string }> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}

/** A started server of a project. */
export interface StartedServer extends AsyncDisposable {
  readonly url: string;
  /** Waits for text that the server prints, and returns the first group of the pattern. */
  printed(pattern: RegExp): Promise<string>;
  /** Stops the server as a platform does; returns its exit code. */
  stop(): Promise<number | null>;
}

/** Runs `src/server.ts` of a project on a free port, or on the `PORT` of the environment. */
export async function startServer(
  project: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<StartedServer> {
  const port = environment['PORT'] ?? String(await freePort());
  const child = spawn(join(repository, 'node_modules/.bin/node'), ['src/server.ts'], {
    cwd: project,
    env: { ...process.env, ...environment, PORT: port },
  });
  let text = '';
  const collect = (data: unknown) => {
    text += String(data);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return {
    url: `http://127.0.0.1:${port}`,
    async printed(pattern) {
      for (;;) {
        const [, found] = pattern.exec(text) ?? [];
        if (found !== undefined) return found;
        if (child.exitCode !== null) throw new Error(`The server ended: ${text}`);
        await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      }
    },
    stop: () => endProcess(child),
    async [Symbol.asyncDispose]() {
      await endProcess(child);
    },
  };
}

async function endProcess(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  return child.exitCode;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  server.close();
  await once(server, 'close');
  return port;
}
