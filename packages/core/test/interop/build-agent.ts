import { ApprovalRequired, FunctionToolset, type JsonObject, tool, type Toolset } from 'holdpoint';
import { pydanticMessageCodec, pydanticResultsCodec } from 'holdpoint/pydantic';
import { buildAgent as buildVectorAgent } from '../../../../conformance/src/build-agent.ts';
import { describeCallContext } from '../../../../conformance/src/describe.ts';
import type { AgentSpec, ToolSpec } from '../../../../conformance/src/scenario.ts';
import { paramsSchema } from '../../../../conformance/src/schemas.ts';
import { ScriptModel } from '../../../../conformance/src/script-model.ts';
import type { Stage } from '../../../../conformance/src/stage.ts';
import type { Fixture, Json } from './fixtures.ts';

/**
 * Builds the agent of a fixture. Tools with a behaviour of the vectors are built like those of the
 * vectors.
 */
export function buildAgent({ agent }: Fixture, stage: Stage) {
  const { dynamic_system_prompt: dynamic, system_prompt: fixed = [], ...spec } = agent;
  const tools = (spec.tools ?? []).filter((each) => contextOf(each) === undefined);
  const prompts = [...fixed, ...(dynamic === undefined ? [] : [() => dynamic])];
  // The vectors have one prompt; the library accepts a list.
  const vector = { ...spec, tools, model: [], system_prompt: prompts } as unknown as AgentSpec;
  return buildVectorAgent(
    'main',
    withFiles(vector) as AgentSpec,
    new ScriptModel('main', [], stage),
    stage,
  );
}

/** Creates tools that return fields of their context, which the vectors do not have. */
export function contextTools({ agent }: Fixture, stage: Stage): Toolset[] {
  const tools = (agent.tools ?? []).flatMap((spec) => {
    const context = contextOf(spec);
    return context === undefined ? [] : [contextTool(spec, context, stage)];
  });
  return tools.length > 0 ? [new FunctionToolset(tools)] : [];
}

interface Context {
  readonly metadata: JsonObject;
  readonly fields: readonly string[];
}

/** Returns the fields that such a tool returns; `undefined` for other tools. */
function contextOf({ behavior }: ToolSpec): Context | undefined {
  // A behaviour that only fixtures have.
  const { do: what, metadata, then } = behavior as unknown as Json & { then?: Json };
  if (what !== 'require_approval' || then?.['do'] !== 'ctx') return undefined;
  // The fixture contains both.
  return { metadata, fields: then['fields'] } as unknown as Context;
}

function contextTool(spec: ToolSpec, { metadata, fields }: Context, stage: Stage) {
  return tool({
    name: spec.name,
    inputSchema: paramsSchema(spec.params ?? {}),
    execute(args, ctx) {
      const known = describeCallContext(ctx);
      stage.log.invocations.push({ tool: spec.name, args, ctx: known });
      if (!ctx.toolCallApproved) throw new ApprovalRequired(metadata);
      return Object.fromEntries(fields.map((field) => [field, known[field]]));
    },
  });
}

/** Converts the values of behaviours, with files as file objects. */
function withFiles(spec: unknown): unknown {
  if (Array.isArray(spec)) return spec.map(withFiles);
  if (typeof spec !== 'object' || spec === null) return spec;
  const members = Object.entries(spec).map(([name, member]) => [name, withFiles(member)]);
  const copy: Json = Object.fromEntries(members);
  if (copy['do'] === 'return' || copy['do'] === 'tool_return') {
    copy['value'] = pydanticResultsCodec.fromJSON({ calls: { a: copy['value'] } }).calls['a'];
    copy['content'] = toPrompt(copy['content']);
  }
  return copy;
}

/** Converts the content of a user prompt. */
export function toPrompt(content: unknown) {
  if (content === undefined || content === null) return undefined;
  const parts = [{ part_kind: 'user-prompt', content }];
  const part = pydanticMessageCodec.fromJSON([{ kind: 'request', parts }])[0]?.parts[0];
  return part?.kind === 'user-prompt' ? part.content : undefined;
}
