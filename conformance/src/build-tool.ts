import { type Tool, tool } from 'holdpoint';
import { dropAbsent } from './from-spec.ts';
import { argsValidator, toolFunction } from './functions.ts';
import type { PrepareSpec, ToolSpec } from './scenario.ts';
import { paramsSchema } from './schemas.ts';
import { SLOWDOWN } from './slowdown.ts';
import type { Stage } from './stage.ts';

/** Builds a tool of a scenario. */
export function buildTool(spec: ToolSpec, stage: Stage): Tool {
  return tool({
    name: spec.name,
    inputSchema: paramsSchema(spec.params ?? {}),
    execute: toolFunction(spec, stage),
    ...dropAbsent({
      description: spec.description,
      maxRetries: spec.max_retries,
      timeout: milliseconds(spec.timeout),
      sequential: spec.sequential,
      requiresApproval: spec.requires_approval,
      metadata: spec.metadata,
      deferLoading: spec.defer_loading,
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
      case 'kind':
        return { ...definition, kind: spec.kind };
      case 'kind_from_step':
        return ctx.runStep >= spec.step ? { ...definition, kind: spec.kind } : definition;
    }
  };
}

/** Converts a time of a scenario, which is in seconds. */
export function milliseconds(seconds: number | null | undefined): number | undefined {
  return seconds === null || seconds === undefined ? undefined : seconds * 1000 * SLOWDOWN;
}
