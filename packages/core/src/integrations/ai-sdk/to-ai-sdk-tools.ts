import type { AnyTool, AnyTools, DepsOfTools } from '../../agent/agent-options.ts';
import { checkOptions } from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { JsonObject, JsonValue } from '../../internal/json.ts';
import type { JsonSchema } from '../../models/json-schema.ts';
import type { ToolDefinition } from '../../models/tool-definition.ts';
import type { AiSdkCallOptions } from './ai-sdk-tool.ts';
import { ToolGate } from './tool-gate.ts';

/** A Standard Schema that only describes: the gate validates. */
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

/** A tool of ours as `generateText` and `streamText` of the AI SDK take it. */
export interface GatedAiSdkTool {
  readonly description?: string;
  readonly inputSchema: PassThroughSchema;
  readonly strict?: boolean;
  /** Whether the AI SDK has to ask somebody before this call. */
  needsApproval(input: JsonObject, options: AiSdkCallOptions): Promise<boolean>;
  /** Executes the call through a gate of its own. */
  execute(input: JsonObject, options: AiSdkCallOptions): Promise<JsonValue>;
}

/** What the tools need. */
export interface ToAiSdkToolsOptions<Deps> {
  /** What the application gives the tools. */
  readonly deps: Deps;
}

/** The options: required exactly when the tools need something. */
export type AiSdkToolsArguments<Deps> = unknown extends Deps
  ? [options?: Partial<ToAiSdkToolsOptions<Deps>>]
  : [options: ToAiSdkToolsOptions<Deps>];

/**
 * Tools of ours for `generateText` and `streamText` of the AI SDK 6 and 7.
 *
 * Each call still passes a gate: arguments are validated here, and a call that has to be approved runs
 * only if the messages that the AI SDK was given hold its approval. An answer of `toolApproval` alone
 * is not enough. Nothing can be parked: what a call throws, also to be deferred, the model is told.
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
  const offered = namedTools(tools).map(([name, tool]) => {
    const definition = tool.definitionAs(name);
    refuseUnkept(definition, tool);
    return [name, toGatedTool(definition, gate)] as const;
  });
  return Object.fromEntries(offered);
}

function namedTools(tools: AnyTools): [string, AnyTool][] {
  if (!isList(tools)) return Object.entries(tools);
  // A tool without a name was refused when the gate was made.
  return tools.map((tool) => [tool.name ?? '', tool]);
}

function isList(tools: AnyTools): tools is readonly AnyTool[] {
  return Array.isArray(tools);
}

function toGatedTool(definition: ToolDefinition, gate: ToolGate): GatedAiSdkTool {
  const { name, description, strict, parametersJsonSchema } = definition;
  return {
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
    inputSchema: describing(parametersJsonSchema),
    needsApproval: (input, call) => gate.needsApproval(name, input, call),
    execute: (input, call) => gate.execute(name, input, call),
  };
}

/** What a schema transforms must not be transformed twice, so the AI SDK lets everything pass. */
function describing(schema: JsonSchema): PassThroughSchema {
  // A copy each time: the AI SDK writes into it.
  const json = () => structuredClone(schema) as Record<string, unknown>;
  return {
    '~standard': {
      version: 1,
      vendor: 'holdpoint',
      // The arguments of a call are an object; the gate looks.
      validate: (value) => ({ value: value as JsonObject }),
      jsonSchema: { input: json, output: json },
    },
  };
}

/** Refuses what only a run of an agent can keep to. */
function refuseUnkept(definition: ToolDefinition, { prepare }: AnyTool): void {
  const why = prepare
    ? 'is prepared for each step of a run'
    : definition.deferLoading
      ? 'is hidden until a search finds it'
      : definition.sequential
        ? 'runs alone'
        : undefined;
  if (why === undefined) return;
  throw new UserError(
    `The tool '${definition.name}' ${why}, which the AI SDK does not do. Use it in an Agent, or make ` +
      'one without that for the AI SDK.',
  );
}
