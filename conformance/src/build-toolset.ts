import {
  type AbstractToolset,
  CombinedToolset,
  DynamicToolset,
  ExternalToolset,
  FunctionToolset,
  type JsonObject,
} from 'holdpoint';
import type { ApprovalPolicy } from 'holdpoint/deferral';
import { buildTool, milliseconds } from './build-tool.ts';
import { buildEdit, buildFilter } from './edit-tools.ts';
import { dropAbsent } from './from-spec.ts';
import { LoggedToolset } from './logged-toolset.ts';
import type {
  DynamicToolsetSpec,
  ExternalToolSpec,
  FunctionToolsetSpec,
  ToolsetSpec,
  WhenSpec,
} from './scenario.ts';
import type { Stage } from './stage.ts';

/** Builds a toolset of a scenario. */
export function buildToolset(spec: ToolsetSpec, stage: Stage): AbstractToolset {
  switch (spec.type) {
    case 'function':
      return buildFunctionToolset(spec, stage);
    case 'external':
      return new ExternalToolset(spec.tools.map(externalTool), dropAbsent({ id: spec.id }));
    case 'prefixed':
      return buildToolset(spec.wrapped, stage).prefixed(spec.prefix);
    case 'renamed':
      return buildToolset(spec.wrapped, stage).renamed(spec.map);
    case 'approval_required':
      return buildToolset(spec.wrapped, stage).approvalRequired(
        approvalPolicy(spec.when ?? 'always'),
      );
    case 'combined':
      return new CombinedToolset(spec.toolsets.map((each) => buildToolset(each, stage)));
    case 'dynamic':
      return buildDynamicToolset(spec, stage);
    case 'logged':
      return new LoggedToolset(buildToolset(spec.wrapped, stage), spec, stage);
    case 'filtered':
      return buildToolset(spec.wrapped, stage).filtered(buildFilter(spec.filter));
    case 'prepared':
      return buildToolset(spec.wrapped, stage).prepared(buildEdit(spec.edit));
    case 'metadata':
      return buildToolset(spec.wrapped, stage).withMetadata(spec.metadata);
    case 'defer_loading':
      return buildToolset(spec.wrapped, stage).deferLoading(spec.names ?? undefined);
    default:
      throw new Error(`The replayer cannot build the toolset ${JSON.stringify(spec)}.`);
  }
}

function buildFunctionToolset(spec: FunctionToolsetSpec, stage: Stage): AbstractToolset {
  return new FunctionToolset(
    spec.tools.map((each) => buildTool(each, stage)),
    dropAbsent({
      id: spec.id,
      maxRetries: spec.max_retries,
      timeout: milliseconds(spec.timeout),
      instructions: spec.instructions,
      metadata: spec.metadata,
      requiresApproval: spec.requires_approval,
    }),
  );
}

function externalTool({ name, schema }: ExternalToolSpec) {
  return { name, ...dropAbsent({ parametersJsonSchema: schema }) };
}

function approvalPolicy(when: WhenSpec): ApprovalPolicy {
  if (when === 'always') return () => true;
  return (_ctx, { name }, args) => {
    const limits = Object.entries(when.arg_gt ?? {});
    return (
      (when.tool_in?.includes(name) ?? true) &&
      limits.every(([arg, limit]) => Number((args as JsonObject)[arg]) > limit)
    );
  };
}

function buildDynamicToolset(spec: DynamicToolsetSpec, stage: Stage): AbstractToolset {
  const made = new Map<number, AbstractToolset>();
  const make = (index: number): AbstractToolset | undefined => {
    const chosen = spec.by_step[index];
    const known = spec.reuse ? made.get(index) : undefined;
    if (known !== undefined || !chosen) return known;
    const toolset = buildToolset(chosen, stage);
    made.set(index, toolset);
    return toolset;
  };
  return new DynamicToolset(
    ({ runStep }) => {
      stage.log.toolsetLog.push(['factory', spec.id ?? null, runStep]);
      return make(Math.min(Math.max(runStep - 1, 0), spec.by_step.length - 1));
    },
    dropAbsent({ id: spec.id, perRunStep: spec.per_run_step }),
  );
}
