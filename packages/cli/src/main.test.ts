import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { main } from './main.ts';

const bin = fileURLToPath(new URL('./bin.ts', import.meta.url));
const NO_CONFIG = '/nonexistent';

function holdpoint(...args: readonly string[]) {
  const options = ['--conditions=holdpoint-source', bin, ...args];
  return spawnSync(process.execPath, options, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOLDPOINT_URL: '', HOLDPOINT_TOKEN: '', XDG_CONFIG_HOME: NO_CONFIG },
  });
}

describe('holdpoint', { timeout: 20_000 }, () => {
  it.each([[[]], [['--help']]])('prints help: %s', (args) => {
    const { stdout, status } = holdpoint(...args);

    expect(stdout).toMatch(/^Usage: holdpoint <command>[^]*demo[^]*chat <agent-file>/);
    expect(stdout).toMatch(/desk <desk-file>[^]*approve <hold-id>[^]*start <agent> <prompt>/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(status).toBe(0);
  });

  it('prints help for a command', () => {
    const { stdout, status } = holdpoint('edit', '--help');

    expect(stdout).toMatch(/^Usage: holdpoint edit \[options\] <hold-id> <args>\n/);
    expect(stdout).toMatch(/^ {2}--yes +decide without confirmation/m);
    expect(stdout).toMatch(/^ {2}--store <file> +SQLite file/m);
    expect(stdout).toMatch(/^ {2}-h, --help +print help$/m);
    expect(status).toBe(0);
  });

  it('does not fail if the program that reads its output has ended', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-main-'));
    const args = ['migrate', '--dry-run', '--database', join(folder, 'desk.sqlite')];
    const flags = ['--conditions=holdpoint-source', '--disable-warning=ExperimentalWarning'];
    const child = spawn(process.execPath, [...flags, bin, ...args]);
    child.stdout.destroy();
    const [stderr, exit] = await Promise.all([text(child.stderr), once(child, 'exit')]);

    rmSync(folder, { recursive: true });
    expect(stderr).toBe('');
    expect(exit).toEqual([0, null]);
  });

  it('prints its version', () => {
    expect(holdpoint('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['chat', 'a.ts'], 1, 'A chat needs a terminal'],
    [
      ['approve', 'abcd'],
      1,
      'There is no terminal (TTY) to confirm the decision. Nothing was decided. Pass `--yes`',
    ],
    [['holds', '--store', 'package.json'], 1, '`package.json` is not the SQLite file of a desk.'],
    [['holds', '--url', 'http://127.0.0.1:9'], 1, 'Cannot reach the desk at http://127.0.0.1:9'],
  ])('prints a problem in one line: %s', (args, exitCode, problem) => {
    const { stderr, stdout, status } = holdpoint(...args);

    expect(stderr).toContain(problem);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
    expect(status).toBe(exitCode);
  });
});

describe('a command line that is rejected', () => {
  beforeEach(() => {
    vi.stubEnv('HOLDPOINT_URL', '');
    vi.stubEnv('XDG_CONFIG_HOME', NO_CONFIG);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it.each([
    [['frobnicate'], 2, 'Unknown command: frobnicate. Usage: holdpoint <command>'],
    [['chat'], 2, 'Missing argument: <agent-file>. Usage: holdpoint chat [options] <agent-file>'],
    [['chat', 'a', 'b'], 2, 'Unexpected argument: b.'],
    [['demo', '--fast'], 2, 'Unknown option: --fast.'],
    [['desk'], 2, 'Missing argument: <desk-file>. Usage: holdpoint desk [options] <desk-file>'],
    [['desk', 'nothing.ts'], 1, 'There is no file `nothing.ts`.'],
    [
      ['serve', 'nothing.ts'],
      1,
      'There is no desk file `nothing.ts`. Pass its path as `<desk-file>`',
    ],
    [
      ['worker', 'nothing.ts'],
      1,
      'There is no desk file `nothing.ts`. Pass its path as `<desk-file>`',
    ],
    [['serve', '--config', 'nothing.json'], 1, 'There is no file `nothing.json`. Check the path.'],
    [['desk', 'a.ts', '--port', 'http'], 2, 'Pass a whole number from 0 to 65535.'],
    [['desk', 'a.ts', '--concurrency', '0'], 2, 'Pass a whole number from 1 to 1000.'],
    [['holds', '--limit', '501'], 2, '--limit <number>: 501. Pass a whole number from 1 to 500.'],
    [['holds', '--limit'], 2, 'Missing value for option --limit <number>.'],
    [
      ['holds', '--state', 'late'],
      2,
      '--state <state...>: late. Allowed choices are open, decided',
    ],
    [['holds', '--older-than', '3'], 2, '--older-than <duration>: 3. Pass a number with a unit'],
    [['holds'], 1, 'Missing address of the desk.'],
    [['holds', '--store', 'nothing.db'], 1, 'There is no file `nothing.db`.'],
    [['approve', 'abcd', '--yes', '--grant', 'all'], 2, 'Pass same-arguments, tool, or a JSON'],
    [['approve', 'abcd', '--yes', '--grant-for', '1h'], 2, 'need `--grant`'],
    [['approve', 'abcd', '--yes', '--grant-for', '1w'], 2, 'such as 30m, 8h or 7d'],
    [['edit', 'abcd', '[1]', '--yes'], 2, 'Arguments must be a JSON object'],
    [['edit', 'abcd', '{', '--yes'], 2, 'Invalid argument <args>: This is not JSON'],
    [['edit', 'abcd'], 2, 'Missing argument: <args>.'],
    [['result', 'abcd', '{', '--yes'], 2, 'Invalid argument <value>: This is not JSON'],
    [['fail', 'abcd'], 2, 'Missing argument: <message>.'],
    [['keys', 'create', 'payroll'], 2, 'Missing option: --scope <scope...>. Usage: holdpoint keys'],
    [['events', '--url', 'http://127.0.0.1:1'], 1, 'Cannot reach the desk at http://127.0.0.1:1.'],
    [['start', 'shop'], 2, 'Missing argument: <prompt>.'],
    [['message', 'c-1'], 2, 'Missing argument: <text>.'],
    [['login'], 1, 'Missing address of the desk.'],
    [['audit'], 2, 'Missing command: audit show, audit verify.'],
    [['audit', 'verfy', 'abcd'], 2, 'Unknown command: audit verfy. Did you mean: audit verify?'],
    [['audit', 'verify'], 2, 'Missing argument: <run-id>. Usage: holdpoint audit verify'],
    [['audit', 'verify', 'abcd', '--key', 'a.pem'], 2, 'Pass `--key <id>=<file>`'],
    [['approve'], 2, 'Missing argument: <hold-id>. Usage: holdpoint approve [options] <hold-id>'],
    [['aprove'], 2, 'Unknown command: aprove. Did you mean: approve?'],
    [['hodls'], 2, 'Unknown command: hodls. Did you mean: holds?'],
    [['runs', 'shwo', 'abcd'], 2, 'Unknown command: runs shwo. Did you mean: runs show?'],
    [['holds', '--serch', 'x'], 2, 'Unknown option: --serch. Did you mean: --search?'],
    [
      ['--url', 'http://127.0.0.1:4680', 'holds'],
      2,
      'Unknown option: --url. Pass it after the command: holdpoint <command> --url … Usage',
    ],
    [
      ['demo', 'dask'],
      2,
      'Invalid value for argument <part>: dask. Allowed choices are all, desk.',
    ],
    [['completion', 'tcsh'], 2, 'Allowed choices are bash, zsh, fish.'],
  ])('prints one line: %s', async (args, exitCode, problem) => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});

    expect(await main(args)).toBe(exitCode);
    expect(print.mock.calls).toEqual([[expect.stringContaining(problem)]]);
  });

  it.each([
    [['approve', 'abcd', '--json'], 2, 'usage', '`--json` cannot ask for confirmation.'],
    [['holds', 'lst', '--json'], 2, 'usage', 'Did you mean: holds list?'],
    [['runs', '--json'], 1, 'user-error', 'Missing address of the desk.'],
  ])('prints the error as JSON: %s', async (args, exitCode, code, problem) => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});

    expect(await main(args)).toBe(exitCode);
    expect(print).toHaveBeenCalledTimes(1);
    expect(JSON.parse(String(print.mock.calls[0]?.[0]))).toEqual({
      error: { code, message: expect.stringContaining(problem) },
    });
  });
});

describe('a completion script', () => {
  afterEach(() => vi.restoreAllMocks());

  async function scriptFor(shell: string): Promise<string> {
    const print = vi.spyOn(console, 'log').mockImplementation(() => {});
    expect(await main(['completion', shell])).toBe(0);
    return String(print.mock.calls[0]?.[0]);
  }

  it.each([
    ['bash', /'holds list'\)[^;]*list='[^']*--state/],
    ['zsh', /compdef _holdpoint holdpoint/],
    ['fish', /__holdpoint_at 'runs'" -f -a 'start' -d 'Start a run'/],
    ['fish', /-l state -x -a 'ready running [^']*' -d/],
  ])('for %s has commands and options', async (shell, pattern) => {
    expect(await scriptFor(shell)).toMatch(pattern);
  });

  /** Prints the completions of the last argument, after the script. */
  const PRINT_WORDS = {
    bash: 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _holdpoint; printf "%s\\n" "${COMPREPLY[@]}"',
    // The functions replace the built-in ones, which need a line editor. They filter as `compadd` does.
    zsh: 'compadd() { shift; print -rl -- ${(M)@:#$words[CURRENT]*}; }; words=("$@"); CURRENT=$#; _holdpoint',
    fish: 'complete --do-complete="$argv"',
  };

  // The machine may lack zsh and fish. A machine that has them executes their scripts.
  const isInstalled = (shell: string) => spawnSync(shell, ['--version']).error === undefined;

  describe.each(['bash', 'zsh', 'fish'] as const)('for %s', (shell) => {
    it.skipIf(!isInstalled(shell)).each([
      ['ho', ['holds']],
      ['holds ', ['list', 'show']],
      ['runs list --state st', ['stuck']],
      ['approve --y', ['--yes']],
      ['holds list --se', ['--search']],
      ['approve abcd --y', ['--yes']],
      ['completion z', ['zsh']],
    ])('completes “holdpoint %s”', async (typed, words) => {
      const script = await scriptFor(shell);
      const before = shell === 'zsh' ? 'compdef() { }' : '';
      const program = [before, script, PRINT_WORDS[shell]].join('\n');
      const name = shell === 'fish' ? [] : [shell];
      const args = ['-c', program, ...name, 'holdpoint', ...typed.split(' ')];
      const { stdout } = spawnSync(shell, args, { encoding: 'utf8' });

      const completed = stdout.trim().split('\n');
      expect(completed.map((line) => line.split('\t')[0])).toEqual(words);
    });
  });
});
