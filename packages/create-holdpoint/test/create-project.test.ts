import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { main } from '../src/main.ts';

const TEMPLATES = join(import.meta.dirname, '../templates');

let root: string;
let printed: string[];
let errors: string[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'create-holdpoint-'));
  printed = [];
  errors = [];
  vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(String(text)));
  vi.spyOn(console, 'error').mockImplementation((text) => void errors.push(String(text)));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(root, { recursive: true });
});

describe('create-holdpoint', () => {
  it.each(['terminal', 'web', 'service'])(
    'creates the template %s and prints the next steps',
    async (template) => {
      const folder = join(root, 'My Agent');

      expect(await main([folder, '--template', template])).toBe(0);

      const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      expect(manifest.name).toBe('my-agent');
      expect(manifest.dependencies.holdpoint).toMatch(/^\^\d+\.\d+\.\d+/);
      expect(await readdir(folder)).toEqual(
        expect.arrayContaining(['.gitignore', 'README.md', 'src', 'test', 'tsconfig.json']),
      );
      expect(printed.join('\n')).toMatch(/cd "[^"]*My Agent"\n/);
      expect(printed.join('\n')).toMatch(/npm install\n {2}npm test\n {2}npm start/);
    },
  );

  // A template is a whole project, which can be checked where it is, so it has its own copies.
  it.each(['src/agent.ts', 'src/model.ts', 'tsconfig.json', '_gitignore'])(
    'has the same %s in the templates for the web and for a service',
    async (path) => {
      const [web, service] = await Promise.all(
        ['web', 'service'].map((name) => readFile(join(TEMPLATES, name, path), 'utf8')),
      );

      expect(web).toBe(service);
    },
  );

  it('accepts an existing empty folder with a Git repository', async () => {
    await mkdir(join(root, '.git'));

    expect(await main([root, '-t', 'web'])).toBe(0);
  });

  it('leaves a folder that is not empty unchanged', async () => {
    await writeFile(join(root, 'mine.txt'), 'mine');

    expect(await main([root, '-t', 'web'])).toBe(2);

    expect(await readdir(root)).toEqual(['mine.txt']);
    expect(errors.join()).toMatch(/is not empty: it contains `mine.txt`. Pass a new folder/);
  });

  it('rejects a file as the folder', async () => {
    await writeFile(join(root, 'file'), '');

    expect(await main([join(root, 'file'), '-t', 'web'])).toBe(2);
    expect(errors.join()).toMatch(/Cannot create the folder .*EEXIST.* Pass another one/);
  });

  it.each([
    [['x', '--tempalte', 'web'], /Unknown option: --tempalte. Did you mean: --template\?/],
    [['x', '--yes'], /Unknown option: --yes. Use `--help`/],
    [['x', '-q'], /Unknown option: -q/],
    [['x', '--toString', 'web'], /Unknown option: --toString/],
    [['x', '-t', 'wbe'], /Unknown template: wbe. Did you mean: web\?/],
    [['x', '-t', 'constructor'], /Unknown template: constructor. Pass `--template`/],
    [['x', '-t'], /Option `--template` needs a value/],
    [['x', '--template='], /Option `--template` needs a value/],
    [['x', '--install=no'], /Option `--install` accepts no value/],
    [['x', '-t', 'web', '-t', 'service'], /Option `--template` is set twice/],
    [['x', 'y', '-t', 'web'], /Unexpected argument: y. Pass one folder/],
    [['-t', 'web'], /Missing argument: <folder>/],
    [['', '-t', 'web'], /The folder is empty. Pass the folder/],
    [['x'], /Missing option: --template. Pass terminal, web, service/],
  ])('rejects %j and creates nothing', async (args, message) => {
    expect(await main(args.map((arg) => (arg === 'x' ? join(root, 'x') : arg)))).toBe(2);

    expect(errors.join()).toMatch(message);
    expect(await readdir(root)).toEqual([]);
  });

  it('prints its version and its options', async () => {
    expect(await main(['--version'])).toBe(0);
    expect(await main(['--help'])).toBe(0);

    expect(printed[0]).toMatch(/^\d+\.\d+\.\d+/);
    expect(printed[1]).toMatch(/--template <name>[^]*terminal[^]*web[^]*service/);
  });
});
