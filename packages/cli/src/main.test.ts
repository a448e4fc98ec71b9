import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { spawnSync } from 'node:child_process';

const bin = fileURLToPath(new URL('./bin.ts', import.meta.url));

function holdpoint(...args: readonly string[]) {
  const options = ['--conditions=holdpoint-source', '--import', 'tsx', bin, ...args];
  return spawnSync(process.execPath, options, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

describe('the program', { timeout: 20_000 }, () => {
  it.each([[[]], [['--help']]])('says what it can do: %s', (args) => {
    const { stdout, status } = holdpoint(...args);

    expect(stdout).toMatch(/^Usage: holdpoint <command>[^]*chat <agent-file>[^]*demo/);
    expect(status).toBe(0);
  });

  it('says its version', () => {
    expect(holdpoint('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['frobnicate'], 2, "There is no command 'frobnicate'."],
    [['chat'], 2, 'Something is missing. Usage: holdpoint chat <agent-file>'],
    [['chat', 'a', 'b'], 2, "'b' is too much."],
    [['demo', '--fast'], 2, "There is no option '--fast'."],
    [['chat', 'a.ts'], 1, 'A conversation needs a terminal'],
  ])('says in one line what is wrong with %s', (args, exitCode, problem) => {
    const { stderr, stdout, status } = holdpoint(...args);

    expect(stderr).toContain(problem);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
    expect(status).toBe(exitCode);
  });
});
