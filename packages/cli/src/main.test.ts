import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { main } from './main.ts';

const bin = fileURLToPath(new URL('./bin.ts', import.meta.url));

function holdpoint(...args: readonly string[]) {
  const options = ['--conditions=holdpoint-source', '--import', 'tsx', bin, ...args];
  return spawnSync(process.execPath, options, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOLDPOINT_URL: '', HOLDPOINT_TOKEN: '' },
  });
}

describe('the program', { timeout: 20_000 }, () => {
  it.each([[[]], [['--help']]])('says what it can do: %s', (args) => {
    const { stdout, status } = holdpoint(...args);

    expect(stdout).toMatch(/^Usage: holdpoint <command>[^]*demo[^]*chat <agent-file>/);
    expect(stdout).toMatch(/desk <desk-file>[^]*approve <hold-id>[^]*audit verify <run-id>/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(status).toBe(0);
  });

  it('says what a command takes', () => {
    const { stdout, status } = holdpoint('approve', '--help');

    expect(stdout).toMatch(/^Usage: holdpoint approve <hold-id> \[options\]\n/);
    expect(stdout).toMatch(/^ {2}--args <json> +lets it run with these arguments/m);
    expect(stdout).toMatch(/^ {2}--store <file> +the SQLite file/m);
    expect(status).toBe(0);
  });

  it('says its version', () => {
    expect(holdpoint('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['frobnicate'], 2, 'Unknown command: frobnicate. Run holdpoint --help'],
    [['chat', 'a.ts'], 1, 'A conversation needs a terminal'],
    [
      ['approve', 'abcd'],
      1,
      'There is no terminal (TTY) to confirm the decision. Nothing was decided. Pass `--yes`',
    ],
    [['holds', '--store', 'package.json'], 1, "'package.json' is not the SQLite file of a desk."],
    [['holds', '--url', 'http://127.0.0.1:9'], 1, 'Cannot reach the desk at http://127.0.0.1:9'],
  ])('says in one line what is wrong with %s', (args, exitCode, problem) => {
    const { stderr, stdout, status } = holdpoint(...args);

    expect(stderr).toContain(problem);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
    expect(status).toBe(exitCode);
  });
});

describe('what makes no sense', () => {
  beforeEach(() => vi.stubEnv('HOLDPOINT_URL', ''));
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it.each([
    [['chat'], 2, 'Missing argument: <agent-file>. Usage: holdpoint chat <agent-file>'],
    [['chat', 'a', 'b'], 2, 'Unexpected argument: b.'],
    [['demo', '--fast'], 2, 'Unknown option: --fast.'],
    [['desk'], 2, 'Missing argument: <desk-file>. Usage: holdpoint desk <desk-file>'],
    [['desk', 'nothing.ts'], 1, "There is no file 'nothing.ts'."],
    [['desk', 'a.ts', '--port', 'http'], 2, '--port is a whole number from 0 to 65535'],
    [['holds', '--limit', '501'], 2, '--limit is a whole number from 1 to 500'],
    [['holds'], 1, 'Missing address of the desk.'],
    [['holds', '--store', 'nothing.db'], 1, "There is no file 'nothing.db'."],
    [['approve', 'abcd', '--json'], 2, '--json cannot ask for a confirmation. Pass --yes, too.'],
    [['approve', 'abcd', '--yes', '--args', '[1]'], 2, '--args: Arguments are a JSON object'],
    [['approve', 'abcd', '--yes', '--args', '{'], 2, '--args: This is not JSON'],
    [['answer', 'abcd', '--yes'], 2, 'Pass exactly one of --result, --failure and --retry.'],
    [['answer', 'abcd', '--result', '1', '--retry', 'x'], 2, 'Pass exactly one of --result'],
    [['answer', 'abcd', '--yes', '--result', '{'], 2, '--result: This is not JSON'],
    [
      ['audit', 'forget', 'abcd'],
      2,
      'Unknown subcommand: audit forget. Did you mean: audit verify?',
    ],
    [['audit', 'verify'], 2, 'Missing argument: <run-id>. Usage: holdpoint audit verify <run-id>'],
    [['approve'], 2, 'Missing argument: <hold-id>. Usage: holdpoint approve <hold-id>'],
    [['aprove'], 2, 'Unknown command: aprove. Did you mean: approve?'],
    [['hodls'], 2, 'Unknown command: hodls. Did you mean: holds?'],
    [['gr'], 2, 'Unknown command: gr. Did you mean: grants?'],
    [['holds', '--serch', 'x'], 2, 'Unknown option: --serch. Did you mean: --search?'],
    [['demo', 'dask'], 2, 'Unknown part: demo dask. Did you mean: demo desk?'],
    [['audit', 'verify', 'abcd', '--key', 'a.pem'], 2, '--key <id>=<file>'],
  ])('is refused in one line: %s', async (args, exitCode, problem) => {
    const complain = vi.spyOn(console, 'error').mockImplementation(() => {});

    expect(await main(args)).toBe(exitCode);
    expect(complain.mock.calls).toEqual([[expect.stringContaining(problem)]]);
  });
});
