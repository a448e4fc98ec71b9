import type { AnyTool, AnyTools, DepsOfTools } from '../../agent/agent-options.ts';
import { checkOptions } from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import { invariant } from '../../internal/invariant.ts';
import type { JsonObject, JsonValue } from '../../internal/json.ts';
import type { JsonSchema, ToolDefinition } from '../../models/tool-definition.ts';
import type { AiSdkCallOptions } from './ai-sdk-tool.ts';
import { ToolGate } from './tool-gate.ts';

/** A Standard Schema that describes arguments and accepts every value. The gate validates them. */
export interface PassThroughSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: JsonObject };
    readonly jsonSchema: {
      readonly input: (options: object) => Record<string, unknown>;
      readonly output: (options: object) => Record<string, unknown>;
    };
  };
}

/** A Holdpoint tool in the form of the AI SDK. */
export interface GatedAiSdkTool {
  readonly description?: string;
  readonly inputSchema: PassThroughSchema;
  readonly strict?: boolean;
  /** Returns true if an approver must approve the call. */
  needsApproval(input: JsonObject, options: AiSdkCallOptions): Promise<boolean>;
  /** Executes the call through a gate. */
  execute(input: JsonObject, options: AiSdkCallOptions): Promise<JsonValue>;
}

/** Options of {@link toAiSdkTools}. */
export interface ToAiSdkToolsOptions<Deps> {
  /** The dependencies of the tools. */
  readonly deps: Deps;
}

/** The options argument of {@link toAiSdkTools}. It is required if the tools have dependencies. */
export type AiSdkToolsArguments<Deps> = unknown extends Deps
  ? [options?: Partial<ToAiSdkToolsOptions<Deps>>]
  : [options: ToAiSdkToolsOptions<Deps>];

/**
 * Converts Holdpoint tools for `generateText` and `streamText` of the AI SDK 6 and 7.
 *
 * Each call passes through a gate, which validates the arguments. A call that requires approval executes
 * only if the messages of the AI SDK contain its approval. A decision of `toolApproval` alone is not enough.
 * The AI SDK cannot park a run, so the model receives the message of every error, also of a deferral.
 *
 * @example
 * await generateText({ model, tools: toAiSdkTools([readFile, deleteFile]), prompt })
 */
export function toAiSdkTools<const Tools extends AnyTools>(
  tools: Tools,
  ...[options]: AiSdkToolsArguments<DepsOfTools<Tools>>
): Record<string, GatedAiSdkTool> {
  checkOptions('`toAiSdkTools`', options, { deps: 'any' });
  const gate = new ToolGate(tools, options?.deps);
  const entries = namedToolEntries(tools).map(([name, tool]) => {
    const definition = tool.definitionAs(name);
    rejectUnsupported(definition, tool);
    return [name, toGatedTool(definition, gate)] as const;
  });
  return Object.fromEntries(entries);
}

function namedToolEntries(tools: AnyTools): [string, AnyTool][] {
  if (!isListOfTools(tools)) return Object.entries(tools);
  return tools.map((tool) => [invariant(tool.name, 'every tool of the gate has a name'), tool]);
}

function isListOfTools(tools: AnyTools): tools is readonly AnyTool[] {
  return Array.isArray(tools);
}

function toGatedTool(definition: ToolDefinition, gate: ToolGate): GatedAiSdkTool {
  const { name, description, strict, parametersJsonSchema } = definition;
  return {
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
    inputSchema: passThrough(parametersJsonSchema),
    needsApproval: (input, call) => gate.needsApproval(name, input, call),
    execute: (input, call) => gate.execute(name, input, call),
  };
}

/** Creates a schema without validation, because the gate must not transform arguments a second time. */
function passThrough(schema: JsonSchema): PassThroughSchema {
  // The AI SDK changes the schema, so it receives a copy.
  const json = () => structuredClone(schema) as Record<string, unknown>;
  return {
    '~standard': {
      version: 1,
      vendor: 'holdpoint',
      validate: (value) => ({ value: value as JsonObject }), // the gate validates it
      jsonSchema: { input: json, output: json },
    },
  };
}

/** Throws if the tool uses a feature that only an agent has. */
function rejectUnsupported(definition: ToolDefinition, { prepare }: AnyTool): void {
  const option = prepare
    ? 'prepare'
    : definition.deferLoading
      ? 'deferLoading'
      : definition.sequential
        ? 'sequential'
        : undefined;
  if (option === undefined) return;
  throw new UserError(
    `The tool \`${definition.name}\` has the option \`${option}\`, which the AI SDK does not support. ` +
      'Use the tool in an `Agent`, or pass a tool without the option.',
  );
}
