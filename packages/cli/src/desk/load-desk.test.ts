import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type DeskFile, loadDesk } from './load-desk.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-load-desk-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The module may use another copy of the package, so methods identify a desk. */
const HEAD = [
  'class Desk { start() {} fetch() {} close() {} tenant = "theirs" }',
  'const store = { read() {}, write() {}, close: async () => { store.isClosed = true } };',
];

let files = 0;
function write(...lines: readonly string[]): string {
  const path = join(folder, `desk-${++files}.mjs`);
  writeFileSync(path, [...HEAD, ...lines, ''].join('\n'));
  return path;
}
let resolved = 0;
/** Uses the access of the file, and counts its calls. */
const accessOf = ({ authorize, signIn: signInProvider }: DeskFile) => {
  resolved += 1;
  return { authorize, signIn: signInProvider };
};
const opening = { urlOf: () => undefined, accessOf };
const load = (...lines: readonly string[]) => loadDesk(write(...lines), opening);

describe('a module with a desk', () => {
  it('is used unchanged if the module opened the desk', async () => {
    const { desk, isOpenedByFile } = await load('export default new Desk();');

    expect(desk.tenant).toBe('theirs');
    expect(isOpenedByFile).toBe(true);
  });

  it('is opened with the exported options, and closes its store', async () => {
    const path = write('export default { store, agents: {} };', 'export { store };');
    const { desk, isOpenedByFile } = await loadDesk(path, opening);

    expect(desk.tenant).toBe('default');
    expect(isOpenedByFile).toBe(false);
    expect(resolved).toBe(1);
    await desk.close();
    const { store } = await import(path);
    expect(store.isClosed).toBe(true);
  });

  it('is found under any name, with the base path of the module', async () => {
    const { basePath, isOpenedByFile } = await load(
      "export const one = { store, agents: {}, authorize() {}, http: { basePath: '/desk' } };",
    );

    expect(basePath).toBe('/desk');
    expect(isOpenedByFile).toBe(false);
    expect(resolved).toBe(2);
  });

  it.each([
    ['it exports no desk', ['export const desk = { store: {}, agents: {} };'], /exports no desk/],
    [
      'it exports several desks without a default',
      ['export const a = new Desk();', 'export const b = { store, agents: {} };'],
      /several desks \(a, b\)/,
    ],
    [
      'its `authorize` is not a function',
      ["export default { store, agents: {}, authorize: 'all' };"],
      /`authorize` is .* Pass a function/,
    ],
  ])('is rejected if %s', async (_, lines, problem) => {
    await expect(load(...lines)).rejects.toThrow(problem);
  });
});
