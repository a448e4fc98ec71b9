import { globSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importsFromOutside } from '../support/module-imports.ts';
import { installPackedCore } from '../support/packed-core.ts';
import { runNode, runTsc } from '../support/run-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import type { Report } from './consumer/program.ts';

const program = fileURLToPath(new URL('./consumer/program.ts', import.meta.url));

const expected: Report = {
  loop: { output: 'It says hello.', messages: 6, requests: 3 },
  structured: 'number',
  stream: { events: true, last: 'run-result', length: 6 },
  steps: {
    kinds: ['request-model', 'call-tools', 'request-model', 'call-tools', 'finished'],
    output: 'Done.',
  },
  failures: { limited: true, messages: 3, noModel: true },
  ownModel: '1 message(s)',
};

let folder: TempFolder;
let project: string;
let installed: string;

beforeAll(async () => {
  folder = await tempFolder('consumer');
  project = join(folder.path, 'project');
  installed = join(project, 'node_modules/holdpoint');
  await installPackedCore(join(folder.path, 'workspace'), installed);
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  await cp(program, join(project, 'program.ts'));
});

afterAll(() => folder?.[Symbol.asyncDispose]());

describe('a project that installs only the package', () => {
  it.concurrent.each([
    ['nodenext', { module: 'nodenext' }],
    ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ])(
    'compiles under the strictest settings and runs, resolving modules by %s',
    async (name, modules) => {
      const compilerOptions = {
        ...modules,
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        target: 'es2023',
        lib: ['es2023', 'dom'],
        types: [],
        rootDir: '.',
        outDir: name,
      };
      const config = { compilerOptions, files: ['program.ts'] };
      await writeFile(join(project, `${name}.json`), JSON.stringify(config));

      await runTsc(['-p', `${name}.json`], project);
      const printed = await runNode([join(name, 'program.js')], { cwd: project });

      expect(JSON.parse(printed)).toEqual(expected);
    },
  );

  it('reports a compile error for a misspelled option', async () => {
    const wrong = join(project, 'wrong');
    await mkdir(wrong);
    await writeFile(
      join(wrong, 'program.ts'),
      "import { Agent } from 'holdpoint';\nexport const agent = new Agent({ modle: 'test' });\n",
    );

    const compiling = runTsc(
      ['program.ts', '--ignoreConfig', '--noEmit', '--module', 'nodenext', '--skipLibCheck'],
      wrong,
    );

    await expect(compiling).rejects.toThrow("'modle' does not exist");
  });
});

describe('the packed package', () => {
  const read = (path: string) => readFile(join(installed, path), 'utf8');
  const find = (pattern: string) => globSync(pattern, { cwd: installed });

  it('depends on nothing', async () => {
    const manifest = JSON.parse(await read('package.json'));

    const fields = Object.keys(manifest).filter((field) => /dependencies$/i.test(field));
    const { peerDependencies, peerDependenciesMeta } = manifest;
    const required = Object.keys(peerDependencies).filter(
      (peer) => peerDependenciesMeta[peer]?.optional !== true,
    );

    // Optional peers are not installed; they only declare compatible versions.
    expect(fields).toEqual(['peerDependencies']);
    expect(required).toEqual([]);
    expect(Object.keys(manifest.scripts ?? {})).toEqual([]);
  });

  it.each([
    ['type declarations', 'dist/**/*.d.ts', 50, []],
    // Imported only to connect to a server, or to trace or seal a run.
    [
      'modules',
      'dist/**/*.js',
      6,
      [
        'dist/integrations/mcp/index.js imports @modelcontextprotocol/client',
        'dist/integrations/otel/index.js imports @opentelemetry/api',
        'dist/integrations/sealed/index.js imports jose',
      ],
    ],
  ])('contains %s that import only optional peers', async (_, pattern, atLeast, peers) => {
    const files = find(pattern);
    const outside = await Promise.all(
      files.map(async (file) => {
        const names = importsFromOutside(await read(file));
        return names.map((name) => `${file} imports ${name}`);
      }),
    );

    expect(files.length).toBeGreaterThan(atLeast);
    expect(outside.flat().toSorted()).toEqual(peers);
  });

  it('exports every class under the name of the class', async () => {
    const { exports } = JSON.parse(await read('package.json')) as {
      exports: Record<string, string | { default: string }>;
    };
    const names: [exported: string, own: string][] = [];
    for (const entry of Object.values(exports)) {
      if (typeof entry === 'string') continue;
      const built: object = await import(pathToFileURL(join(installed, entry.default)).href);
      for (const [exported, value] of Object.entries(built)) {
        const isClass = typeof value === 'function' && String(value).startsWith('class');
        if (isClass) names.push([exported, value.name]);
      }
    }

    expect(names.length).toBeGreaterThan(30);
    // esbuild renames a class whose body refers to the class: create instances outside of it.
    expect(names.filter(([exported, own]) => exported !== own)).toEqual([]);
  });

  it('contains the files of its entries, and neither tests nor build information', async () => {
    const { exports } = JSON.parse(await read('package.json')) as {
      exports: Record<string, string | Record<string, string>>;
    };
    const files = find('**/*');
    const named = Object.values(exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );

    expect(files).toEqual(expect.arrayContaining(named.map((path) => path.replace('./', ''))));
    expect(files.filter((file) => /\.test(-d)?\.|tsbuildinfo/.test(file))).toEqual([]);
  });
});

describe('the search for imports', () => {
  it.each([
    ["import fs from 'node:fs';", 'node:fs'],
    ["import type { z } from 'zod';", 'zod'],
    ["export * from 'zod';", 'zod'],
    ["const zod = await import('zod');", 'zod'],
    ["const zod = require('zod');", 'zod'],
    ["export type Z = import('zod').Z;", 'zod'],
    ['/// <reference types="node" />', 'node'],
    ['import{a as b}from"zod";', 'zod'],
  ])('finds %s', (text, name) => {
    expect(importsFromOutside(text)).toEqual([name]);
  });

  it('ignores relative paths, comments and other strings', () => {
    const text =
      "import './a.js';\n// import 'zod'\nconst hint = \"import 'zod'\";\nload('node:fs');";

    expect(importsFromOutside(text)).toEqual([]);
  });
});
