import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadAgent } from './load-agent.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-load-agent-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The module may use another copy of the package, so methods identify an agent. */
const HEAD =
  'class Agent { constructor({ name }) { this.name = name; } run() {} stream() {} resume() {} asTool() {} }';

let files = 0;
function write(...lines: readonly string[]): string {
  const path = join(folder, `agent-${++files}.mjs`);
  writeFileSync(path, [HEAD, ...lines, ''].join('\n'));
  return path;
}

describe('a module with an agent', () => {
  it.each([
    ['the default export', ["export default new Agent({ name: 'a' });"]],
    ['the only agent', ["export const one = new Agent({ name: 'a' });", 'export const two = 2;']],
    [
      'the default export among several agents',
      ["export const b = new Agent({ name: 'b' });", "export default new Agent({ name: 'a' });"],
    ],
  ])('loads %s', async (_, lines) => {
    const { agent } = await loadAgent(write(...lines));

    expect(agent.name).toBe('a');
  });

  it.each([
    ['as a value', 'export const deps = { folder: 1 };'],
    ['from a function', 'export const deps = async () => ({ folder: 1 });'],
  ])('loads deps %s', async (_, line) => {
    const { deps } = await loadAgent(write('export default new Agent({});', line));

    expect(deps).toEqual({ folder: 1 });
  });

  it.each([
    ['there is no such file', join(folder, 'nothing.ts'), /There is no file/],
    ['it exports no agent', write('export const agent = {};'), /exports no Agent/],
    [
      'it exports several agents without a default',
      write('export const a = new Agent({});', 'export const b = new Agent({});'),
      /several agents \(a, b\)/,
    ],
  ])('is rejected if %s', async (_, path, problem) => {
    await expect(loadAgent(path)).rejects.toThrow(problem);
  });
});
