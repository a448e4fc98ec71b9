import type { RunContext } from '../../context/run-context.ts';
import {
  checkOptions,
  checkRequiredOptions,
  invalidOption,
  type OptionTable,
} from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import { messageOf } from '../../errors/thrown.ts';
import { type JsonObject, toFrozenJson } from '../../internal/json.ts';
import type { ProviderTool } from '../../models/native-tool.ts';
import { tool } from '../../tools/define-tool.ts';
import { CallDeferred, isSignal, ToolFailed } from '../../tools/signals.ts';
import { requireDecision } from '../../tools/approval-guard.ts';
import { type ApprovalCheck, alwaysRequiresApproval, type Tool } from '../../tools/tool.ts';
import { type AiSdkCallOptions, type AiSdkTool, isProviderTool } from './ai-sdk-tool.ts';
import { callOptionsOf } from './call-options.ts';
import { fromAiSdkSchema } from './from-ai-sdk-schema.ts';
import { fromModelOutput } from './from-model-output.ts';

/** What the AI SDK says elsewhere than in a tool. */
export interface FromAiSdkToolOptions {
  /** The name the model calls it by: the key of the tool in the AI SDK. */
  readonly name: string;
  /** Whether somebody has to approve a call before it runs, beside what the tool says itself. */
  readonly requiresApproval?: boolean | ApprovalCheck<unknown, unknown> | undefined;
  /** What the tool gets as its `context`. */
  readonly context?: unknown;
}

const OPTIONS: OptionTable<FromAiSdkToolOptions> = {
  name: 'string',
  requiresApproval: 'any',
  context: 'any',
};

/** Throws a `UserError` for options of `fromAiSdkTools` that are unknown or of another type. */
export function checkSharedOptions(options: Omit<FromAiSdkToolOptions, 'name'>): void {
  const { name: _, ...shared } = OPTIONS;
  checkOptions('`fromAiSdkTools`', options, shared);
}

/**
 * A tool of ours from one of the AI SDK. It executes through the gate of a run like any other.
 *
 * `needsApproval` is kept. A tool without `execute` defers its calls. What `execute` throws is told to
 * the model, as the AI SDK does it. What the tool says to a provider or shows in a user interface is
 * not taken over.
 *
 * @example
 * const agent = new Agent({ model, tools: [fromAiSdkTool(weather, { name: 'weather' })] })
 */
export function fromAiSdkTool(
  source: AiSdkTool,
  options: FromAiSdkToolOptions,
): Tool<unknown, unknown> {
  checkRequiredOptions('`fromAiSdkTool`', options, OPTIONS);
  const { name } = options;
  const label = `tool '${name}'`;
  if (isProviderTool(source) && source.execute === undefined) {
    throw new UserError(
      `The ${label} is one of a provider (${source.id}), which runs it itself. ` +
        'Give it to the agent among its nativeTools, with fromAiSdkProviderTool or fromAiSdkTools.',
    );
  }
  const { description, strict, deferLoading, metadata } = source;
  return tool({
    name,
    description:
      typeof description === 'function'
        ? // It depends on the context of the AI SDK, which is given with the options.
          description({ context: options.context } as never)
        : description,
    inputSchema: fromAiSdkSchema(source.inputSchema, label),
    requiresApproval: approvalOf(source, options),
    strict,
    deferLoading,
    // What JSON makes of an object is an object.
    metadata: metadata && (toFrozenJson(metadata, `metadata of ${label}`) as JsonObject),
    execute: (input, ctx) => execute(source, input, ctx, options),
  });
}

/** A tool of a provider, for the `nativeTools` of an agent. */
export function fromAiSdkProviderTool(
  source: AiSdkTool,
  options: Pick<FromAiSdkToolOptions, 'name'>,
): ProviderTool {
  const { id, args } = source;
  const [provider, own] = id?.split('.', 2) ?? [];
  if (!isProviderTool(source) || provider === undefined || own === undefined) {
    throw new UserError(
      `The tool '${options.name}' is not one of a provider. Give it to the agent among its tools, ` +
        'with fromAiSdkTool.',
    );
  }
  return Object.freeze({
    kind: 'provider',
    id: id as ProviderTool['id'], // it has two parts
    name: options.name,
    // What JSON makes of an object is an object.
    args: toFrozenJson(args ?? {}, `args of ${id}`) as JsonObject,
  });
}

type Execute = (input: unknown, options: AiSdkCallOptions) => unknown;

async function execute(
  source: AiSdkTool,
  input: unknown,
  ctx: RunContext,
  { context }: FromAiSdkToolOptions,
): Promise<unknown> {
  // The input has passed the tool's own schema.
  const run = source.execute as Execute | undefined;
  if (run === undefined) throw new CallDeferred();
  const options = callOptionsOf(ctx, context);
  const output = await lastOf(await telling(ctx, () => run(input, options)), ctx);
  if (source.toModelOutput === undefined) return output;
  const describe = source.toModelOutput as (told: object) => unknown; // as the AI SDK has it
  return fromModelOutput(await describe({ toolCallId: options.toolCallId, input, output }));
}

/** What a tool gave, the last of it where it gave several things one after the other. */
function lastOf(output: unknown, ctx: RunContext): unknown {
  const isStream = typeof output === 'object' && output !== null && Symbol.asyncIterator in output;
  if (!isStream) return output;
  return telling(ctx, async () => {
    let last: unknown;
    for await (const piece of output as AsyncIterable<unknown>) last = piece; // it has the symbol
    return last;
  });
}

/** Turns what the work throws into what the model is told; what steers a run stays what it is. */
async function telling<T>(ctx: RunContext, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (ctx.signal.aborted || isSignal(error)) throw error;
    const message = messageOf(error);
    throw new ToolFailed(message, { cause: error });
  }
}

function approvalOf(
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
    const asks = needsApproval as Execute; // both take the input and the same options
    const decider = `\`needsApproval\` of the AI SDK tool \`${name}\``;
    checks.push((input, ctx) =>
      requireDecision(decider, () => asks(input, callOptionsOf(ctx, context))),
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
