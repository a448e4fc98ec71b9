import { describe, expect, it } from 'vitest';
import { isTest, readSourceFiles } from './support/source-files.ts';

const files = readSourceFiles().filter((file) => !isTest(file.path));
const filesWith = (text: string) => files.filter((file) => file.text.includes(text));

describe('the gate', () => {
  it('is the only module that issues permits', () => {
    const issuing = filesWith('issuePermit').map((file) => file.path);

    expect(issuing.toSorted()).toEqual(['gate/gate.ts', 'tools/permit.ts']);
  });

  it('is the only way to the module that executes tools', () => {
    const executing = filesWith('.execute(permit').map((file) => file.path);

    expect(executing.toSorted()).toEqual([
      'execution/execute-call.ts',
      'toolsets/function-toolset.ts',
      'toolsets/inherit.ts',
      'toolsets/tool-change.ts',
      'toolsets/transforms.ts',
    ]);
  });
});
