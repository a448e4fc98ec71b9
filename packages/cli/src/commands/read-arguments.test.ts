import { describe, expect, it } from 'vitest';
import { UsageError } from './command.ts';
import { readArguments, readNumber } from './read-arguments.ts';

const options = {
  reason: { kind: 'text', help: '' },
  state: { kind: 'texts', help: '' },
  yes: { kind: 'switch', help: '' },
} as const;
const read = (...args: readonly string[]) =>
  readArguments(args, options, { least: 1, most: 2, names: ['<hold-id>'] });

describe('what is typed after a command', () => {
  it('is options, in any order, and the rest', () => {
    const { values, positionals } = read('a', '--yes', '--state=x', 'b', '--state', 'y');

    expect({ ...values }).toEqual({ yes: true, state: ['x', 'y'] });
    expect(positionals).toEqual(['a', 'b']);
  });

  it('has no value for what was not given', () => {
    expect(read('a').values.reason).toBeUndefined();
  });

  it('can begin with a dash after the equals sign', () => {
    expect(read('a', '--reason=-5').values.reason).toBe('-5');
  });

  it.each([
    [[], 'Missing argument: <hold-id>.'],
    [['a', 'b', 'c'], 'Unexpected argument: c.'],
    [['a', '--fast'], 'Unknown option: --fast.'],
    [['a', '-f'], 'Unknown option: -f.'],
    [['a', '--reason'], 'Missing value for option --reason.'],
    [['a', '--reason', '-5'], '--reason=-…'],
    [['a', '--yes=no'], 'Option --yes takes no value.'],
  ])('is refused if it is %s', (args, problem) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(problem);
  });
});

describe('a number that is typed', () => {
  const port = (text?: string) => readNumber('port', text, { least: 0, most: 65_535 });

  it('is read', () => {
    expect([port('0'), port('8080'), port()]).toEqual([0, 8080, undefined]);
  });

  it.each(['', '-1', '1.5', '0x10', '65536', 'a', ' 5'])('is refused if it is “%s”', (text) => {
    expect(() => port(text)).toThrow(`--port is a whole number from 0 to 65535, and not '${text}'`);
  });
});
