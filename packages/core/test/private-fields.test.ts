import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { bundleWithExtensibleCheck, findReturnOverrides } from './support/private-fields.ts';
import { repository, runNode } from './support/run-program.ts';
import { readSourceFiles } from './support/source-files.ts';
import { tempFolder } from './support/temp-folder.ts';

describe('core 0.1: private fields are only defined on objects that the class created', () => {
  it('no class in src defines its private fields on an object that a constructor returned', () => {
    const files = readSourceFiles();

    expect(files.length).toBeGreaterThan(0);
    expect(findReturnOverrides(files)).toEqual([]);
  });

  it('runs park and resume if a private field cannot be defined on a non-extensible object', async () => {
    await using folder = await tempFolder('private-fields');
    const program = `${repository}packages/core/test/support/private-fields-program.ts`;
    const bundle = `${folder.path}/program.mjs`;
    await writeFile(bundle, await bundleWithExtensibleCheck(program));

    const printed = await runNode([bundle]);

    expect(JSON.parse(printed)).toEqual({
      executed: ['pay', 'pay'],
      resumed: 'Done.',
      talk: 'Hi.',
    });
  });
});

describe('the check for return-override', () => {
  const check = (text: string) => findReturnOverrides([{ path: 'tools/tool.ts', text }]);

  it.each([
    [
      'class A { constructor(given: object) { return given; } }',
      'a constructor returns another object',
    ],
    [
      'const Base = function () {} as never; class A extends Base {}',
      'extends Base, which is not a class',
    ],
    ['class A extends baseOf(B) {}', 'extends baseOf(B), which is not a class'],
  ])('finds it in `%s`', (text, problem) => {
    expect(check(text)).toEqual([`tools/tool.ts:1: ${problem}`]);
  });

  it('accepts constructors that return nothing, and functions inside of them', () => {
    const text = `
      class A { #a; constructor(b?: string) { if (!b) return; this.#a = () => { return b; }; } }
      class B extends A {}
      class C extends Error {}
    `;

    expect(check(text)).toEqual([]);
  });
});
