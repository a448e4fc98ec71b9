import { checkRequiredOptions, type OptionKind, ownerOf } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import { requireToolName } from './tool-name.ts';

/** The options that every tool has. */
interface NamedOptions {
  readonly name?: string | undefined;
  readonly execute?: unknown;
}

/** Throws a `UserError` for options of a tool that are unknown, missing or of another type. */
export function checkToolOptions(
  options: NamedOptions,
  table: Readonly<Record<string, OptionKind>>,
): void {
  const owner = ownerOf(options, 'name', 'tool', 'tool');
  checkRequiredOptions(owner, options, table);
  if (options.execute === undefined) {
    throw new UserError(
      `Tool \`${options.name ?? ''}\` has no \`execute\`. Pass the function that does the work. ` +
        'Use `ExternalToolset` for a tool whose results come from outside the run.',
    );
  }
  if (options.name !== undefined) requireToolName(options.name);
}
