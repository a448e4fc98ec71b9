import { describe, expect, it } from 'vitest';
import { readAcpOptions } from './options.ts';

describe('the export `acp` of an agent file', () => {
  it('is optional', () => {
    expect(readAcpOptions([['default', {}]])).toEqual({});
  });

  it('sets the kinds of tools, in a record without a prototype', () => {
    const { toolKinds } = readAcpOptions([['acp', { toolKinds: { write: 'edit' } }]]);

    expect(toolKinds?.['write']).toBe('edit');
    expect(toolKinds?.['constructor']).toBeUndefined();
  });

  it.each([
    ['it is no object', 7, /must be an object/],
    ['it has an unknown option', { kinds: {} }, /unknown option `kinds`/],
    ['the kinds are no object', { toolKinds: ['edit'] }, /must be an object/],
    ['a kind is unknown', { toolKinds: { write: 'change' } }, /tool `write`.*"change"/],
  ])('is rejected if %s', (_, value, problem) => {
    expect(() => readAcpOptions([['acp', value]])).toThrow(problem);
  });
});
