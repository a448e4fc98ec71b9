import { describe, expect, it } from 'vitest';
import { readMcpOptions } from './options.ts';

describe('the export `mcp` of a desk file', () => {
  it('is optional', () => {
    expect(readMcpOptions([['default', {}]])).toEqual({});
    expect(readMcpOptions([['mcp', { forms: true }]])).toEqual({ forms: true });
  });

  it('is rejected if it is no object or has an unknown option', () => {
    expect(() => readMcpOptions([['mcp', true]])).toThrow('must be an object');
    expect(() => readMcpOptions([['mcp', { form: true }]])).toThrow('Did you mean `forms`?');
  });
});
