import { passInstead } from '../errors/check-options.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import { Tool } from '../tools/tool.ts';

/** Throws a `UserError` unless this is a list of toolsets, or of functions if `orFactories` is set. */
export function requireToolsets(
  owner: string,
  toolsets: unknown,
  orFactories: 'or factories' | undefined,
): void {
  if (!Array.isArray(toolsets)) {
    throw new UserError(
      `\`toolsets\` of ${owner} is ${showValue(toolsets)}. ${passInstead(toolsets, 'a list')}`,
    );
  }
  for (const [index, toolset] of toolsets.entries()) {
    if (orFactories !== undefined && typeof toolset === 'function') continue;
    requireToolset(`\`toolsets[${index}]\` of ${owner} is`, toolset);
  }
}

/** Throws a `UserError` unless this is a toolset. `what` is the beginning of the sentence about it. */
export function requireToolset(what: string, toolset: unknown): void {
  const isToolset =
    typeof toolset === 'object' &&
    toolset !== null &&
    'getTools' in toolset &&
    typeof toolset.getTools === 'function';
  if (isToolset) return;
  const advice =
    toolset instanceof Tool
      ? 'Pass tools in `tools`, or put them into a `FunctionToolset`.'
      : passInstead(toolset, 'a toolset, such as a `FunctionToolset`');
  throw new UserError(`${what} ${showValue(toolset)}. ${advice}`);
}
