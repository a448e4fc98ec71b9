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
    [['frobnicate'], 2, "There is no command 'frobnicate'."],
    [['chat', 'a.ts'], 1, 'A conversation needs a terminal'],
    [['approve', 'abcd'], 1, 'there is no terminal (TTY). Nothing was decided. Say --yes.'],
    [['holds', '--store', 'package.json'], 1, "'package.json' is not the SQLite file of a desk."],
    [['holds', '--url', 'http://127.0.0.1:9'], 1, 'Nobody answers at http://127.0.0.1:9'],
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
    [['chat'], 2, 'Something is missing. Usage: holdpoint chat <agent-file>'],
    [['chat', 'a', 'b'], 2, "'b' is too much."],
    [['demo', '--fast'], 2, "There is no option '--fast'."],
    [['desk'], 2, 'Something is missing. Usage: holdpoint desk <desk-file>'],
    [['desk', 'nothing.ts'], 1, "There is no file 'nothing.ts'."],
    [['desk', 'a.ts', '--port', 'http'], 2, '--port is a whole number from 0 to 65535'],
    [['holds', '--limit', '501'], 2, '--limit is a whole number from 1 to 500'],
    [['holds'], 1, 'Nobody has said where the desk is.'],
    [['holds', '--store', 'nothing.db'], 1, "There is no file 'nothing.db'."],
    [['approve', 'abcd', '--json'], 2, '--json asks nobody: say --yes, too.'],
    [['approve', 'abcd', '--yes', '--args', '[1]'], 2, '--args: Arguments are a JSON object'],
    [['approve', 'abcd', '--yes', '--args', '{'], 2, '--args: This is not JSON'],
    [['answer', 'abcd', '--yes'], 2, 'Give --result, --failure or --retry.'],
    [['answer', 'abcd', '--result', '1', '--retry', 'x'], 2, 'Give --result, --failure or'],
    [['answer', 'abcd', '--yes', '--result', '{'], 2, '--result: This is not JSON'],
    [['audit', 'forget', 'abcd'], 2, 'An audit cannot forget.'],
    [['audit', 'verify', 'abcd', '--key', 'a.pem'], 2, '--key <id>=<file>'],
  ])('is refused in one line: %s', async (args, exitCode, problem) => {
    const complain = vi.spyOn(console, 'error').mockImplementation(() => {});

    expect(await main(args)).toBe(exitCode);
    expect(complain.mock.calls).toEqual([[expect.stringContaining(problem)]]);
  });
});
