import {
  Agent,
  nativeOutput,
  type None,
  none,
  type OutputDeclaration,
  type Tool,
  tool,
  toolOutput,
} from 'holdpoint';
import { dropAbsent } from './from-spec.ts';
import { argsValidator, historyProcessor, outputValidator, toolFunction } from './functions.ts';
import type {
  AgentSpec,
  OutputSpec,
  PrepareSpec,
  RetriesSpec,
  StructuredOutputSpec,
  ToolSpec,
} from './scenario.ts';
import { outputSchema, paramsSchema, type Produced } from './schemas.ts';
import type { ScriptModel } from './script-model.ts';
import type { Stage } from './stage.ts';

/** An agent of a scenario. */
export function buildAgent(name: string, spec: AgentSpec, model: ScriptModel, stage: Stage) {
  return new Agent({
    name,
    model,
    tools: (spec.tools ?? []).map((each) => buildTool(each, stage)),
    ...dropAbsent({
      output: buildOutput(spec.output),
      endStrategy: spec.end_strategy,
      retries: buildRetries(spec.retries),
      toolTimeout: milliseconds(spec.tool_timeout),
      systemPrompt: spec.system_prompt,
      instructions: spec.instructions,
      outputValidators: spec.output_validator && [
        outputValidator(name, spec.output_validator, stage),
      ],
      historyProcessors: spec.history_processor && [historyProcessor(spec.history_processor)],
    }),
  });
}

function buildTool(spec: ToolSpec, stage: Stage): Tool {
  return tool({
    name: spec.name,
    inputSchema: paramsSchema(spec.params ?? {}),
    execute: toolFunction(spec, stage),
    ...dropAbsent({
      description: spec.description,
      maxRetries: spec.max_retries,
      timeout: milliseconds(spec.timeout),
      sequential: spec.sequential,
      metadata: spec.metadata,
      argsValidator: spec.args_validator && argsValidator(spec.name, spec.args_validator, stage),
      prepare: spec.prepare && buildPrepare(spec.prepare),
    }),
  });
}

function buildPrepare(spec: PrepareSpec): NonNullable<Tool['prepare']> {
  return (ctx, definition) => {
    switch (spec.do) {
      case 'hide':
        return undefined;
      case 'hide_from_step':
        return ctx.runStep >= spec.step ? undefined : definition;
      case 'rename':
        return { ...definition, name: spec.name };
      default:
        throw new Error(`The replayer cannot prepare '${spec.do}' yet.`);
    }
  };
}

/** One of the outputs that a scenario can ask for. */
export type Choice = StringConstructor | None | OutputDeclaration<Produced>;

/** The output of an agent or a run; without one the library's default holds. */
export function buildOutput(
  specs: readonly OutputSpec[] | null | undefined,
): readonly Choice[] | undefined {
  if (!specs) return undefined;
  const native = specs.filter(isNative).map(outputSchema);
  return [
    ...specs.filter((spec) => !isNative(spec)).map(buildChoice),
    ...(native.length > 0 ? [nativeOutput(native)] : []),
  ];
}

function isNative(spec: OutputSpec): spec is StructuredOutputSpec {
  return typeof spec === 'object' && spec.native === true;
}

function buildChoice(spec: OutputSpec): Choice {
  if (spec === 'text') return String;
  if (spec === 'none') return none;
  if (spec === 'deferred') throw new Error("The replayer has no 'deferred' output yet.");
  const { tool_name: name, max_retries: maxRetries, sequential } = spec;
  return toolOutput(outputSchema(spec), dropAbsent({ name, maxRetries, sequential }));
}

/** How often a model may try again. */
export function buildRetries(spec: RetriesSpec | null | undefined) {
  return typeof spec === 'object' && spec !== null ? dropAbsent(spec) : (spec ?? undefined);
}

function milliseconds(seconds: number | null | undefined): number | undefined {
  return seconds === null || seconds === undefined ? undefined : seconds * 1000;
}
