import { checkRequiredOptions, type OptionTable } from '../errors/check-options.ts';
import { UserError } from '../errors/user-error.ts';
import { requireToolName } from './tool-name.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { ToolOptions } from './tool.ts';

/** The options of `tool()`. Schemas and `requiresApproval` have checks of their own. */
export const TOOL_OPTIONS: OptionTable<ToolOptions<never, StandardSchema>> = {
  name: 'string',
  description: 'string',
  inputSchema: 'any',
  outputSchema: 'any',
  execute: 'function',
  argsValidator: 'function',
  prepare: 'function',
  requiresApproval: 'any',
  maxRetries: 'number',
  timeout: 'number',
  sequential: 'boolean',
  strict: 'boolean',
  metadata: 'object',
  requireParameterDescriptions: 'boolean',
  jsonSchema: 'function',
  includeReturnSchema: 'boolean',
  deferLoading: 'boolean',
  unlessNative: 'string',
  preview: 'function',
  once: 'boolean',
  readOnly: 'boolean',
  idempotent: 'boolean',
  onInDoubt: ['ask', 'retry', 'fail'],
  version: 'string',
};

/** Throws a `UserError` for options of a tool that are unknown, missing or of another type. */
export function checkToolOptions(options: ToolOptions<never, StandardSchema>): void {
  const owner = ownerOf(options);
  checkRequiredOptions(owner, options, TOOL_OPTIONS);
  // Without types anything can be missing.
  const execute: unknown = options.execute;
  if (execute === undefined) {
    throw new UserError(
      `Tool \`${options.name ?? ''}\` has no \`execute\`. Pass the function that does the work. ` +
        'Use `ExternalToolset` for a tool whose results come from outside the run.',
    );
  }
  if (options.name !== undefined) requireToolName(options.name);
}

/** Names a tool in errors about its options. */
function ownerOf(options: unknown): string {
  const isObject = typeof options === 'object' && options !== null;
  const name = isObject && 'name' in options ? options.name : undefined;
  return typeof name === 'string' ? `tool \`${name}\`` : '`tool`';
}
