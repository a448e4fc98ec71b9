import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deskClient } from '../../../desk/src/http/client/index.ts';
import { hasTmux, Terminal } from '../../../cli/test/support/tmux.ts';
import { differingVersions, startServer, undeclaredImports } from '../support/created-projects.ts';
import { dependencyOf, installPacked, installPackedCore } from '../support/packed-core.ts';
import { repository, runNode, runNpm, runOldestNode, runTsc } from '../support/run-program.ts';
import { buildImage } from '../support/image.ts';
import { PostgresServer } from '../../../desk/test/platform/support/postgres-server.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

/** Packages that a user installs beside the packages of this repository. */
const INSTALLED = ['zod', '@ai-sdk/openai', '@types/node', '@types/pg', 'hono', 'pg'];
const QUICKSTART = 'examples/docs/quickstart.ts';
const TEMPLATES = ['terminal', 'web', 'service'] as const;

const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: ['node'],
    strict: true,
    skipLibCheck: false,
    rootDir: '.',
    outDir: 'out',
  },
  include: ['examples', 'json-schema.d.ts'],
};

const MISSPELLED_TOOL = `import { openDesk, sqliteStore } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
const refund = tool({ requiresApproval: true, execute: () => 'refunded' });
const store = await sqliteStore();
const agent = new Agent({ model: 'openai:gpt-5', tools: { refund } });
export const right = openDesk({
  store,
  agents: { support: { agent } },
  approvers: { refund: { roles: ['manager'] } },
});
export const wrong = openDesk({
  store, agents: { support: { agent } },
  approvers: { refnd: { roles: ['manager'] } },
});
`;

/** Two processes on one SQLite file: `park`, and then `decide`. */
const TWO_PROCESSES = `import { openDesk, sqliteStore } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
const refund = tool({ name: 'refund', requiresApproval: true, execute: () => 'refunded' });
const model = functionModel(({ messages }) =>
  messages.some(({ kind }) => kind === 'response') ? says('Done.') : calls('refund'));
const store = await sqliteStore({ path: 'node-22.db' });
const desk = openDesk({ store, agents: { support: { agent: new Agent({ model, tools: [refund] }) } } });
if (process.argv[2] === 'park') await desk.start('support', 'Refund it.');
for (const { id, digest } of (await desk.holds()).items) {
  await desk.decide(id, { kind: 'approve' }, { by: { id: 'grace' }, digest });
}
await desk.drain();
console.log((await desk.runs()).items[0].state);
await desk.close();
`;

/** The files with the code of the README. */
async function readmePrograms(): Promise<readonly string[]> {
  const readme = await readFile(join(repository, 'README.md'), 'utf8');
  const named = readme.matchAll(/<!-- snippet: (examples\/readme\/[\w-]+\.ts)#/g);
  return [...new Set([...named].map(([, path]) => path ?? ''))];
}

/** Returns the dependencies that a package declares. Only these are available to it. */
async function dependenciesOf(name: string): Promise<readonly string[]> {
  const text = await readFile(join(repository, 'packages', name, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  return Object.keys(dependencies);
}

async function link(from: string, to: string): Promise<void> {
  if (existsSync(to)) return;
  await mkdir(dirname(to), { recursive: true });
  await symlink(from, to);
}

let folder: TempFolder;
let project: string;
let programs: readonly string[];

beforeAll(async () => {
  folder = await tempFolder('readme');
  project = join(folder.path, 'project');
  const modules = join(project, 'node_modules');
  const workspace = join(folder.path, 'workspace');
  await installPackedCore(workspace, join(modules, 'holdpoint'));
  for (const name of ['desk', 'cli'] as const) {
    await installPacked(name, workspace, join(modules, '@holdpoint', name));
    for (const dependency of await dependenciesOf(name)) {
      await link(dependencyOf(name, dependency), join(modules, dependency));
    }
  }
  for (const name of INSTALLED) {
    await link(join(repository, 'node_modules', name), join(modules, name));
  }
  const creator = join(modules, 'create-holdpoint');
  await installPacked('create-holdpoint', workspace, creator);
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  for (const template of TEMPLATES) {
    const bin = join(creator, 'dist/bin.js');
    await runNode([bin, `created/${template}`, '--template', template], { cwd: project });
  }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  // The declarations of @ai-sdk/provider 4.0 import those of json-schema, which it does not
  // install.
  await writeFile(
    join(project, 'json-schema.d.ts'),
    "declare module 'json-schema' { export interface JSONSchema7 { [key: string]: unknown } export type JSONSchema7Definition = JSONSchema7 | boolean }",
  );
  programs = await readmePrograms();
  for (const path of [...programs, QUICKSTART]) {
    await cp(join(repository, path), join(project, path));
  }
});

let compilation: Promise<string> | undefined;

/** Compiles the code of the README, once. Returns the modules. */
async function compileReadme(): Promise<readonly string[]> {
  await (compilation ??= runTsc(['-p', '.'], project));
  return programs.map((path) => join('out', path.replace(/\.ts$/, '.js')));
}

afterAll(() => folder?.[Symbol.asyncDispose]());

describe('a project outside of the repository that installs the packed packages', () => {
  it('compiles the unchanged code of the README, with strict types and checked declarations, and executes it', async () => {
    const modules = await compileReadme();

    expect(modules.length).toBeGreaterThanOrEqual(3);
    for (const path of modules) {
      // Each asserts its own outcome.
      await runNode([path], { cwd: project, env: { OPENAI_API_KEY: 'none' } });
    }
  });

  describe('on the oldest supported Node', () => {
    it('has the version that the packages require', async () => {
      const manifest = await readFile(join(repository, 'package.json'), 'utf8');
      const { engines } = JSON.parse(manifest) as { engines: { node: string } };

      expect(await runOldestNode(['--version'], project)).toBe(
        `v${engines.node.replace('>=', '')}.0\n`,
      );
    });

    it('executes the code of the README and of the quickstart', async () => {
      const modules = await compileReadme();

      for (const path of modules) await runOldestNode([path], project);
      expect(await runOldestNode([QUICKSTART], project)).toContain('Done: draft.txt is deleted.');
    });

    it('parks a run on a SQLite desk in one process, and resumes it in another', async () => {
      await writeFile(join(project, 'node-22.mjs'), TWO_PROCESSES);

      expect(await runOldestNode(['node-22.mjs', 'park'], project)).toBe('parked\n');
      expect(await runOldestNode(['node-22.mjs', 'decide'], project)).toBe('finished\n');
    });

    it('runs the command line with its demo', async () => {
      const bin = join(project, 'node_modules/@holdpoint/cli/dist/bin.js');

      expect(await runOldestNode([bin, '--version'], project)).toMatch(/^\d+\.\d+\.\d+/);
      expect(await runOldestNode([bin, 'demo'], project)).toMatch(/Approved by Grace/);
    });
  });

  it('reports a compile error for approvers of a tool that no agent has', async () => {
    const wrong = join(project, 'wrong');
    await mkdir(wrong);
    await writeFile(join(wrong, 'program.ts'), MISSPELLED_TOOL);

    const compiling = runTsc(
      ['program.ts', '--ignoreConfig', '--noEmit', '--module', 'nodenext', '--skipLibCheck'],
      wrong,
    );

    // Only the second desk has an error.
    await expect(compiling).rejects.toThrow(
      /^(?:(?!error TS)[^])*program\.ts\(13,.*'refnd' does not exist(?:(?!error TS)[^])*$/,
    );
  });

  it('compiles the created projects with their strict settings', async () => {
    // The projects have the same settings, so one compilation is enough.
    const created = join(project, 'created');
    const settings = TEMPLATES.map((name) =>
      readFileSync(join(created, name, 'tsconfig.json'), 'utf8'),
    );
    expect(new Set(settings).size).toBe(1);
    const config = {
      extends: './web/tsconfig.json',
      include: TEMPLATES.flatMap((name) => [`${name}/src`, `${name}/test`]),
    };
    await writeFile(join(created, 'tsconfig.json'), JSON.stringify(config));

    await runTsc(['-p', '.'], created);
  });

  describe.each(TEMPLATES)('created by create-holdpoint: %s', (template) => {
    const created = () => join(project, 'created', template);

    it('passes its tests', async () => {
      const printed = await runNpm(['test'], created());

      expect(printed).toMatch(/pass [23]\n/);
    });

    it('declares all of its imports, in the versions of this repository', async () => {
      expect(await undeclaredImports(created())).toEqual([]);
      expect(await differingVersions(created())).toEqual([]);
      expect(existsSync(join(created(), '.gitignore'))).toBe(true);
    });
  });

  it.skipIf(!hasTmux())(
    'starts the created terminal agent, which deletes after approval',
    async () => {
      const agentFolder = join(project, 'created/terminal');
      const node = join(repository, 'node_modules/.bin/node');
      await using terminal = await Terminal.execute([node, 'src/main.ts'], agentFolder);

      await terminal.see('Approve delete_note?');
      expect(existsSync(join(agentFolder, 'notes/draft.txt'))).toBe(true);
      await terminal.press('Enter');

      await terminal.see('draft.txt is deleted');
      expect((await terminal.ended()).exitCode).toBe(0);
      expect(existsSync(join(agentFolder, 'notes/draft.txt'))).toBe(false);
    },
  );

  it('starts the created web app, in which a manager approves a refund across a restart', async () => {
    const web = join(project, 'created/web');
    const stateOf = async (url: string, id: string) =>
      ((await (await fetch(`${url}/api/runs/${id}`)).json()) as { state: string }).state;
    let id: string;
    {
      await using before = await startServer(web);
      await before.printed(/(Inbox for)/);
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ prompt: 'Please refund order 42.' });
      const response = await fetch(`${before.url}/api/runs`, { method: 'POST', headers, body });
      ({ id } = (await response.json()) as { id: string });
      await expect.poll(() => stateOf(before.url, id), { timeout: 20_000 }).toBe('parked');
      expect(await before.stop()).toBe(0);
    }

    await using server = await startServer(web);
    const entry = new URL(await server.printed(/works once\): (\S+)/));
    const entered = await fetch(new URL('/enter', server.url), {
      method: 'POST',
      body: new URLSearchParams(entry.search),
      headers: { origin: server.url },
      redirect: 'manual',
    });
    const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const manager = deskClient({ url: server.url, headers: { cookie, origin: server.url } });
    const [hold] = (await manager.holds({ mine: true })).items;
    await manager.decide(hold?.id ?? '', {
      digest: hold?.digest ?? '',
      decision: { kind: 'approve' },
    });

    await expect.poll(() => stateOf(server.url, id), { timeout: 20_000 }).toBe('finished');
    await server.printed(/(Paid €80 for order 42)/);
  });

  it.each(['web', 'service'])(
    'ends the created server with advice if its port is in use: %s',
    async (template) => {
      const created = join(project, 'created', template);
      await using first = await startServer(created);
      await first.printed(/(http:)/);

      const PORT = new URL(first.url).port;
      await using second = await startServer(created, { PORT });

      await second.printed(/cannot listen on port \d+: .*(Set PORT to another one\.)/);
      expect(await second.stop()).toBe(1);
    },
  );

  it('starts the created service on PostgreSQL', async () => {
    await using database = await PostgresServer.start();
    const environment = {
      DATABASE_URL: await database.newDatabase(),
      SHOP_TOKEN: 'shop',
      MANAGER_TOKEN: 'manager',
    };
    await using server = await startServer(join(project, 'created/service'), environment);
    await server.printed(/(Service on PostgreSQL)/);
    const clientOf = (token: string) =>
      deskClient({ url: server.url, headers: { authorization: `Bearer ${token}` } });
    const { id } = await clientOf('shop').start({
      agent: 'support',
      prompt: 'Please refund order 42.',
    });
    const state = async () => (await clientOf('shop').run(id)).state;
    await expect.poll(state, { timeout: 20_000 }).toBe('parked');

    const [hold] = (await clientOf('manager').holds()).items;
    const { id: holdId = '', digest = '' } = hold ?? {};
    await clientOf('manager').decide(holdId, { digest, decision: { kind: 'approve' } });

    await expect.poll(state, { timeout: 20_000 }).toBe('finished');
    expect(await server.stop()).toBe(0);
  });

  it('runs the step of the tutorial on PostgreSQL', async () => {
    await using database = await PostgresServer.start();
    const step = 'examples/tutorial/4-postgres/main.ts';

    const printed = await runNode(['--conditions=holdpoint-source', step], {
      cwd: repository,
      env: { DATABASE_URL: await database.newDatabase() },
    });

    expect(printed).toContain('The same on PostgreSQL.');
  });

  it('has no module that imports a source file', () => {
    const modules = globSync('node_modules/{holdpoint,@holdpoint/*}/dist/**/*.js', {
      cwd: project,
    });

    expect(modules.length).toBeGreaterThan(100);
    const wrong = modules.filter((path) =>
      /(?:from|import\()\s*['"]\.[^'"]*\.ts['"]/.test(readFileSync(join(project, path), 'utf8')),
    );
    expect(wrong).toEqual([]);
  });

  it('has the program holdpoint with a working demo', async () => {
    const bin = join(project, 'node_modules/@holdpoint/cli/dist/bin.js');

    const version = await runNode([bin, '--version'], { cwd: project });
    const demo = await runNode([bin, 'demo'], {
      cwd: project,
      env: { HOLDPOINT_MODEL: 'scripted' },
    });

    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(demo).toMatch(/\$ holdpoint approve \w{8} --yes[^]*Approved by Grace/);
    expect(demo).toMatch(/Damaged: \d+ entries[^]*✓ the forgery is detected/);
    expect(demo).toMatch(/A run that is resumed twice executes its call once/);
    expect(demo).toContain('npm create holdpoint my-agent');
  });

  it('runs the steps of the image: the migration, a server and a worker', async () => {
    await using server = await PostgresServer.start();
    const url = await server.newDatabase();
    const image = await buildImage(join(folder.path, 'app'), join(project, 'node_modules'));
    const environment = { HOLDPOINT_DATABASE: url, DESK_TOKEN: 'secret' };
    const compose = readFileSync(join(repository, 'examples/deploy/compose.yaml'), 'utf8');
    for (const command of ['migrate', 'serve', 'worker']) {
      expect(compose).toContain(`command: ['${command}']`);
    }

    expect(await image.start(['migrate'], environment).exitCode).toBe(0);
    const ports = { HOLDPOINT_PORT: '0', HOLDPOINT_HEALTH_PORT: '0' };
    const served = image.start(image.command, { ...environment, ...ports });
    const worker = image.start(['worker'], { ...environment, ...ports });
    const address = new URL(await served.logged('listening', 'url'));
    address.hostname = '127.0.0.1';
    await worker.logged('worker-started', 'concurrency');
    for (const path of ['/livez', '/readyz']) {
      expect((await fetch(new URL(path, address))).status).toBe(200);
    }
    const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
    const body = JSON.stringify({ agent: 'clerk', prompt: 'Refund order A-1.' });
    const started = await fetch(new URL('/v1/runs', address), { method: 'POST', headers, body });
    const { id } = (await started.json()) as { id: string };
    const stateOf = async () => {
      const response = await fetch(new URL(`/v1/runs/${id}`, address), { headers });
      return ((await response.json()) as { state: string }).state;
    };
    await expect.poll(stateOf, { timeout: 30_000 }).toBe('parked');

    served.stop();
    worker.stop();
    expect([await served.exitCode, await worker.exitCode]).toEqual([0, 0]);
  });
});
