import type { RunContext } from '../../context/run-context.ts';
import {
  checkOptions,
  checkRequiredOptions,
  invalidOption,
  type OptionTable,
} from '../../errors/check-options.ts';
import { showValue } from '../../errors/show-value.ts';
import { UserError } from '../../errors/user-errors.ts';
import { messageOf } from '../../errors/thrown.ts';
import { type JsonObject, toFrozenJson } from '../../internal/json.ts';
import type { ProviderTool } from '../../models/native-tool.ts';
import { tool } from '../../tools/define-tool.ts';
import { CallDeferred, isSignal, ToolFailed } from '../../tools/signals.ts';
import { requireDecision } from '../../tools/approval-guard.ts';
import { type ApprovalCheck, alwaysRequiresApproval, type Tool } from '../../tools/tool.ts';
import {
  type AiSdkCallOptions,
  type AiSdkTool,
  callOptionsOf,
  fromAiSdkSchema,
  fromModelOutput,
  isProviderTool,
} from './ai-sdk-tool.ts';

/** Options that the AI SDK does not store in a tool. */
export interface FromAiSdkToolOptions {
  /** The name of the tool for the model: its key in the AI SDK. */
  readonly name: string;
  /** Requires approval for calls, in addition to `needsApproval` of the tool. */
  readonly requiresApproval?: boolean | ApprovalCheck<unknown, unknown> | undefined;
  /** The `context` of the tool's functions. */
  readonly context?: unknown;
}

const FROM_AI_SDK_TOOL_OPTIONS: OptionTable<FromAiSdkToolOptions> = {
  name: 'string',
  requiresApproval: 'any',
  context: 'any',
};

/**
 * Converts a tool of the AI SDK. Its calls pass through the gate of a run like all others.
 *
 * `needsApproval` applies. Calls to a tool without `execute` are external. As in the AI SDK, the model
 * receives the message of an error that `execute` throws. Provider options and user interface hooks of the
 * tool are ignored.
 *
 * @example
 * const agent = new Agent({ model, tools: [fromAiSdkTool(weather, { name: 'weather' })] })
 */
export function fromAiSdkTool(
  source: AiSdkTool,
  options: FromAiSdkToolOptions,
): Tool<unknown, unknown> {
  checkRequiredOptions('`fromAiSdkTool`', options, FROM_AI_SDK_TOOL_OPTIONS);
  const { name } = options;
  const label = `tool \`${name}\``;
  if (isProviderTool(source) && source.execute === undefined) {
    throw new UserError(
      `The ${label} (\`${source.id}\`) is executed by its provider, so it has no function to call. ` +
        'Pass it in `nativeTools` of the agent. Use `fromAiSdkProviderTool` or `fromAiSdkTools`.',
    );
  }
  const { description, strict, deferLoading, metadata } = source;
  return tool({
    name,
    description:
      typeof description === 'function'
        ? // The AI SDK passes only the context.
          description({ context: options.context } as never)
        : description,
    inputSchema: fromAiSdkSchema(source.inputSchema, label),
    requiresApproval: combineApproval(source, options),
    strict,
    deferLoading,
    // The JSON form of an object is an object.
    metadata: metadata && (toFrozenJson(metadata, `metadata of ${label}`) as JsonObject),
    execute: (input, ctx) => executeAiSdkTool(source, input, ctx, options),
  });
}

/** Converts a provider's tool for the `nativeTools` of an agent. */
export function fromAiSdkProviderTool(
  source: AiSdkTool,
  options: Pick<FromAiSdkToolOptions, 'name'>,
): ProviderTool {
  const { id, args } = source;
  const [provider, toolId] = id?.split('.', 2) ?? [];
  if (!isProviderTool(source) || provider === undefined || toolId === undefined) {
    throw new UserError(
      `The tool \`${options.name}\` is not a tool of a provider. ` +
        'Pass it in `tools` of the agent. Use `fromAiSdkTool`.',
    );
  }
  return Object.freeze({
    kind: 'provider',
    id: id as ProviderTool['id'], // it has two parts
    name: options.name,
    // The JSON form of an object is an object.
    args: toFrozenJson(args ?? {}, `args of ${id}`) as JsonObject,
  });
}

/** Tools of the AI SDK, converted to options of an agent. */
export interface FromAiSdkTools {
  readonly tools: readonly Tool<unknown, unknown>[];
  /** The tools that a provider executes. */
  readonly nativeTools: readonly ProviderTool[];
}

/**
 * Converts all tools of a record, such as `tools` of `generateText`.
 *
 * A provider's tool with an `execute` is in both lists, because its calls are executed here.
 *
 * @example
 * const agent = new Agent({ model, ...fromAiSdkTools({ weather, search: openai.tools.webSearch() }) })
 */
export function fromAiSdkTools(
  tools: Readonly<Record<string, AiSdkTool>>,
  options: Omit<FromAiSdkToolOptions, 'name'> = {},
): FromAiSdkTools {
  const { name: _, ...sharedOptions } = FROM_AI_SDK_TOOL_OPTIONS;
  checkOptions('`fromAiSdkTools`', options, sharedOptions);
  if (typeof tools !== 'object' || tools === null || Array.isArray(tools)) {
    throw new UserError(
      `The tools of \`fromAiSdkTools\` are ${showValue(tools)}. Pass a record of tools by their names.`,
    );
  }
  const functions: Tool<unknown, unknown>[] = [];
  const natives: ProviderTool[] = [];
  for (const [name, one] of Object.entries(tools)) {
    if (isProviderTool(one)) natives.push(fromAiSdkProviderTool(one, { name }));
    if (!isProviderTool(one) || one.execute !== undefined) {
      functions.push(fromAiSdkTool(one, { ...options, name }));
    }
  }
  return { tools: functions, nativeTools: natives };
}

/** A function of an AI SDK tool. Its input was validated with the tool's schema. */
type AiSdkFunction = (input: unknown, options: AiSdkCallOptions) => unknown;

async function executeAiSdkTool(
  source: AiSdkTool,
  input: unknown,
  ctx: RunContext,
  { context }: FromAiSdkToolOptions,
): Promise<unknown> {
  const execute = source.execute as AiSdkFunction | undefined; // the input is validated
  if (execute === undefined) throw new CallDeferred();
  const options = callOptionsOf(ctx, context);
  const result = await withToolFailures(ctx, () => execute(input, options));
  const output = await lastValue(result, ctx);
  if (source.toModelOutput === undefined) return output;
  const toModelOutput = source.toModelOutput as (options: object) => unknown; // the form of the AI SDK 6 and 7
  return fromModelOutput(await toModelOutput({ toolCallId: options.toolCallId, input, output }));
}

/** Returns the last value of a stream, or the output itself if it is not a stream. */
function lastValue(output: unknown, ctx: RunContext): unknown {
  const isStream = typeof output === 'object' && output !== null && Symbol.asyncIterator in output;
  if (!isStream) return output;
  return withToolFailures(ctx, async () => {
    let last: unknown;
    for await (const value of output as AsyncIterable<unknown>) last = value; // it has the symbol
    return last;
  });
}

/** Throws the errors of `work` as `ToolFailed`, whose message the model receives. Signals are unchanged. */
async function withToolFailures<T>(ctx: RunContext, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (ctx.signal.aborted || isSignal(error)) throw error;
    throw new ToolFailed(messageOf(error), { cause: error });
  }
}

/** Combines `needsApproval` of the tool with the option `requiresApproval`. */
function combineApproval(
  { needsApproval }: AiSdkTool,
  { name, requiresApproval, context }: FromAiSdkToolOptions,
): boolean | ApprovalCheck<unknown, unknown> {
  if (!['boolean', 'function', 'undefined'].includes(typeof needsApproval)) {
    const expected = '`true`, `false` or a function';
    throw invalidOption(`the AI SDK tool \`${name}\``, 'needsApproval', needsApproval, expected);
  }
  if (needsApproval === true || alwaysRequiresApproval(requiresApproval, `tool \`${name}\``))
    return true;
  const checks: ApprovalCheck<unknown, unknown>[] = [];
  if (typeof requiresApproval === 'function') checks.push(requiresApproval);
  if (typeof needsApproval === 'function') {
    const check = needsApproval as AiSdkFunction; // the input is validated
    const decider = `\`needsApproval\` of the AI SDK tool \`${name}\``;
    checks.push((input, ctx) =>
      requireDecision(decider, () => check(input, callOptionsOf(ctx, context))),
    );
  }
  if (checks.length === 0) return false;
  return async (input, ctx) => {
    for (const check of checks) {
      const decider = `\`requiresApproval\` of tool \`${name}\``;
      if (await requireDecision(decider, () => check(input, ctx))) return true;
    }
    return false;
  };
}
