import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as holdpoint from 'holdpoint';
import * as testing from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { readEntryPoints } from '../support/entry-points.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { exportedNames, findUndocumented } from '../support/undocumented.ts';

const entries = [...readEntryPoints().values()];

describe('the public API', () => {
  it('has a doc comment on each export and each method', () => {
    expect(findUndocumented(entries)).toEqual([]);
  });

  it('is covered completely by the check', () => {
    const names = exportedNames(entries).flat();

    expect(names).toEqual(expect.arrayContaining(Object.keys({ ...holdpoint, ...testing })));
  });
});

describe('the search for missing doc comments', () => {
  it('finds symbols and methods without one, and nothing else', async () => {
    await using folder = await tempFolder('docs');
    const entry = join(folder.path, 'index.ts');
    await writeFile(
      entry,
      `export { hidden as shown } from './other.ts';
      export const bare = 1;
      // Not a doc comment.
      export function commented() {}
      /** */
      export type Empty = string;
      /** Has one. */
      export interface Documented { member: string; method(): void }
      /** Has one. */
      export class Base {
        /** Has one. */
        inherited() {}
      }
      /** Has one. */
      export class Example extends Base {
        property = 1;
        #secret() { return this.property; }
        private internal() { return this.#secret(); }
        constructor() { super(); this.internal(); }
        static make() { return new Example(); }
        override inherited() {}
        method() {}
        [Symbol.dispose]() {}
      }`,
    );
    await writeFile(join(folder.path, 'other.ts'), 'export const hidden = 1;');

    const found = findUndocumented([entry]).map((line) => line.split(' ')[0]);

    expect(found).toEqual([
      'Empty',
      'Example.make',
      'Example.method',
      'bare',
      'commented',
      'shown',
    ]);
  });
});
