import {
  Agent,
  type Capability,
  DeferredToolRequests,
  nativeOutput,
  noOutput,
  toolOutput,
} from 'holdpoint';
import { prepareTools, toolSearch } from 'holdpoint/capabilities';
import type { NoOutput, OutputDeclaration } from 'holdpoint/output';
import { buildTool, milliseconds } from './build-tool.ts';
import { buildToolset } from './build-toolset.ts';
import { buildEdit } from './edit-tools.ts';
import { dropAbsent } from './from-spec.ts';
import { historyProcessor, outputValidator } from './functions.ts';
import { buildHandlers } from './handlers.ts';
import type { AgentSpec, OutputSpec, RetriesSpec, StructuredOutputSpec } from './scenario.ts';
import { outputSchema, type Produced } from './schemas.ts';
import type { ScriptModel } from './script-model.ts';
import type { Stage } from './stage.ts';

/** Builds an agent of a scenario. */
export function buildAgent(name: string, spec: AgentSpec, model: ScriptModel, stage: Stage) {
  return new Agent({
    name,
    model,
    tools: (spec.tools ?? []).map((each) => buildTool(each, stage)),
    toolsets: (spec.toolsets ?? []).map((each) => buildToolset(each, stage)),
    capabilities: buildCapabilities(spec, stage),
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

function buildCapabilities(spec: AgentSpec, stage: Stage): Capability[] {
  const { prepare_tools: edit, tool_search: search } = spec;
  return [
    ...buildHandlers(spec.handlers ?? [], 0, stage),
    ...(edit ? [prepareTools(buildEdit(edit))] : []),
    ...(search ? [toolSearch(dropAbsent({ maxResults: search.max_results }))] : []),
  ];
}

/** An output that a scenario can declare. */
export type Choice =
  | StringConstructor
  | NoOutput
  | OutputDeclaration<Produced>
  | typeof DeferredToolRequests;

/**
 * Builds the output of an agent or a run. Without a specification, the default of the library
 * applies.
 */
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
  if (spec === 'none') return noOutput;
  if (spec === 'deferred') return DeferredToolRequests;
  const { tool_name: name, max_retries: maxRetries, sequential } = spec;
  return toolOutput(outputSchema(spec), dropAbsent({ name, maxRetries, sequential }));
}

/** Builds the numbers of retries that a model has. */
export function buildRetries(spec: RetriesSpec | null | undefined) {
  return typeof spec === 'object' && spec !== null ? dropAbsent(spec) : (spec ?? undefined);
}
