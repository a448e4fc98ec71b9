import { parseArgs } from 'node:util';
import { UsageError } from './command.ts';

/** The arguments of a command that has no options, exactly as many as it takes. */
export function positionals(args: readonly string[], count: number): readonly string[] {
  const found = parse(args);
  if (found.length < count) throw new UsageError('Something is missing.');
  const [tooMany] = found.slice(count);
  if (tooMany !== undefined) throw new UsageError(`'${tooMany}' is too much.`);
  return found;
}

function parse(args: readonly string[]): readonly string[] {
  try {
    return parseArgs({ args: [...args], allowPositionals: true }).positionals;
  } catch (error) {
    const [unknown] = args.filter((arg) => arg.startsWith('-'));
    throw new UsageError(`There is no option '${unknown ?? ''}'.`, { cause: error });
  }
}
