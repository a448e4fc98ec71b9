import { passInstead } from '../errors/check-options.ts';
import { isPromise, showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import { isPlainObject } from '../internal/json.ts';
import { Tool } from '../tools/tool.ts';

/** Throws a `UserError` unless this is a list or a record of tools that `tool()` made. */
export function requireTools(given: unknown): void {
  if (Array.isArray(given)) {
    for (const [index, tool] of given.entries()) requireTool(tool, `\`tools[${index}]\``);
    return;
  }
  if (isPlainObject(given)) {
    for (const [name, tool] of Object.entries(given))
      requireTool(tool, `Tool \`${name}\` in \`tools\``);
    return;
  }
  const advice = isToolset(given)
    ? 'Pass it in `toolsets`.'
    : passInstead(given, 'a list of tools, or a record whose keys are the names');
  throw new UserError(`\`tools\` is ${showValue(given)}. ${advice}`);
}

/** Throws a `UserError` unless this is a tool that `tool()` made. `what` names it. */
export function requireTool(tool: unknown, what: string): void {
  if (tool instanceof Tool) return;
  throw new UserError(`${what} ${problemOf(tool)}`);
}

function problemOf(tool: unknown): string {
  if (typeof tool === 'function') {
    return 'is a function. Call `tool({ name, inputSchema, execute })` to make a tool of it.';
  }
  if (typeof tool !== 'object' || tool === null || isPromise(tool)) {
    return `is ${showValue(tool)}. ${passInstead(tool, 'what `tool()` returns')}`;
  }
  if (isToolset(tool)) return 'is a toolset. Pass it in `toolsets`.';
  if ('asTool' in tool) return 'is an agent. Pass `agent.asTool()`.';
  if (isAiSdkTool(tool)) {
    return 'is an AI SDK tool. Use `fromAiSdkTools` from `holdpoint/ai-sdk`.';
  }
  return 'is an object that `tool()` did not make. Call `tool({ name, inputSchema, execute })`.';
}

function isToolset(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('getTools' in value)) return false;
  return typeof value.getTools === 'function';
}

/** Returns true if an object has the shape of an AI SDK tool, which has no name. */
function isAiSdkTool(tool: object): boolean {
  if ('type' in tool && (tool.type === 'provider' || tool.type === 'provider-defined')) return true;
  return !('name' in tool) && ('inputSchema' in tool || 'parameters' in tool);
}

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
  if (isToolset(toolset)) return;
  const advice =
    toolset instanceof Tool
      ? 'Pass tools in `tools`, or put them into a `FunctionToolset`.'
      : passInstead(toolset, 'a toolset, such as a `FunctionToolset`');
  throw new UserError(`${what} ${showValue(toolset)}. ${advice}`);
}
