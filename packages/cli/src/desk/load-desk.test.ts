import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type DeskFile, loadDesk } from './load-desk.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-load-desk-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The module need not have our copy of the package, so what counts is what it can do. */
const HEAD = [
  'class Desk { start() {} answer() {} fetch() {} keepWorking() {} tenant = "theirs" }',
  'const store = { read() {}, write() {}, close: async () => { store.isClosed = true } };',
];

let files = 0;
function write(...lines: readonly string[]): string {
  const path = join(folder, `desk-${++files}.mjs`);
  writeFileSync(path, [...HEAD, ...lines, ''].join('\n'));
  return path;
}
let asked = 0;
/** Leaves it to the file who is let in, and counts how often it is asked. */
const letIn = ({ authorize, entrance }: DeskFile) => {
  asked += 1;
  return { authorize, entrance };
};
const opening = { onError: () => {}, urlOf: () => undefined, letIn };
const load = (...lines: readonly string[]) => loadDesk(write(...lines), opening);

describe('a module with a desk', () => {
  it('gives one that is open, and leaves it to the module to let people in and to close it', async () => {
    const { desk, isTheirs, close } = await load('export default new Desk();');

    expect(desk.tenant).toBe('theirs');
    expect(isTheirs).toBe(true);
    await close();
  });

  it('gives one that is opened with what it exports, and closes its store', async () => {
    const path = write('export default { store, agents: {} };', 'export { store };');
    const { desk, isTheirs, close } = await loadDesk(path, opening);

    expect(desk.tenant).toBe('default');
    expect(isTheirs).toBe(false);
    expect(asked).toBe(1);
    await close();
    const { store } = await import(path);
    expect(store.isClosed).toBe(true);
  });

  it('gives the only one, with the rules of the module', async () => {
    const { basePath, isTheirs } = await load(
      "export const one = { store, agents: {}, authorize() {}, http: { basePath: '/desk' } };",
    );

    expect(basePath).toBe('/desk');
    expect(isTheirs).toBe(false);
    expect(asked).toBe(2);
  });

  it.each([
    ['it exports none', ['export const desk = { store: {}, agents: {} };'], /exports no desk/],
    [
      'it exports several and none is the default',
      ['export const a = new Desk();', 'export const b = { store, agents: {} };'],
      /several desks \(a, b\)/,
    ],
    [
      'it says nothing sensible about who is let in',
      ["export default { store, agents: {}, authorize: 'everybody' };"],
      /`authorize` is .* Pass a function/,
    ],
  ])('is refused if %s', async (_, lines, problem) => {
    await expect(load(...lines)).rejects.toThrow(problem);
  });
});
