import type { RunContext } from '../context/run-context.ts';
import { requireFunction } from '../errors/check-options.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import type { JsonObject } from '../internal/json.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import { recordGuardCheck, requireDecision, requireGuardCheck } from '../tools/approval-guard.ts';
import type { Permit } from '../tools/permit.ts';
import { requireNameText, requireToolName } from '../tools/tool-name.ts';
import {
  matchesToolSelector,
  requireToolSelector,
  type ToolSelector,
} from '../tools/tool-selector.ts';
import {
  changeEach,
  changeSelected,
  redefined,
  sameName,
  type ToolChange,
  WrappedTool,
} from './tool-change.ts';
import type { ToolsetTool } from './toolset.ts';

/** Keeps only the selected tools. */
export function filterTools<Deps>(selector: ToolSelector<Deps>): ToolChange<Deps> {
  requireToolSelector('The tool selector of `filtered`', selector);
  return {
    name: 'filtered',
    perStep: typeof selector === 'function',
    nameOf: sameName,
    async apply(tools, ctx) {
      const kept = new Map<string, ToolsetTool<Deps>>();
      for (const [name, tool] of tools) {
        if (await matchesToolSelector(selector, ctx, tool.definition)) kept.set(name, tool);
      }
      return kept;
    },
  };
}

/** Adds a prefix and an underscore to the names of tools. */
export function addPrefix<Deps>(prefix: string): ToolChange<Deps> {
  requireNameText('The prefix', prefix);
  const nameOf = (name: string): string => `${prefix}_${name}`;
  return changeEach(
    'prefixed',
    (tool) => redefined(tool, { ...tool.definition, name: nameOf(tool.definition.name) }),
    nameOf,
  );
}

/** Renames tools. The keys are the new names, the values the old ones. */
export function renameTools<Deps>(names: Readonly<Record<string, string>>): ToolChange<Deps> {
  for (const name of Object.keys(names)) requireToolName(name);
  const newNames = new Map(Object.entries(names).map(([now, before]) => [before, now]));
  return {
    name: 'renamed',
    perStep: false,
    nameOf: (name) => newNames.get(name) ?? name,
    apply(tools) {
      const changed = new Map<string, ToolsetTool<Deps>>();
      for (const [before, tool] of tools) {
        const name = newNames.get(before) ?? before;
        if (changed.has(name)) {
          throw new UserError(
            `Two tools have the name \`${name}\` after \`renamed()\`. Use a name that no other tool has.`,
          );
        }
        changed.set(name, name === before ? tool : redefined(tool, { ...tool.definition, name }));
      }
      return changed;
    },
  };
}

/** Changes, omits and reorders the definitions of tools for one step. */
export type ToolsPrepare<in Deps = unknown> = (
  ctx: RunContext<Deps>,
  definitions: readonly ToolDefinition[],
) => readonly ToolDefinition[] | Promise<readonly ToolDefinition[]>;

/** Calls a function with the definitions of all tools in each step. */
export function prepareDefinitions<Deps>(prepare: ToolsPrepare<Deps>): ToolChange<Deps> {
  requireFunction('The function of `prepared`', prepare);
  return {
    name: 'prepared',
    perStep: true,
    nameOf: sameName,
    async apply(tools, ctx) {
      const definitions = [...tools.values()].map((tool) => tool.definition);
      const changed = new Map<string, ToolsetTool<Deps>>();
      for (const definition of requireDefinitions(await prepare(ctx, Object.freeze(definitions)))) {
        const tool = tools.get(definition.name);
        if (tool === undefined) {
          throw new UserError(
            `A function of \`prepared()\` returned tool \`${definition.name}\`, which it did not receive. It cannot ` +
              'add or rename tools. Add the tool to a toolset, or use `renamed()`.',
          );
        }
        const same = definition === tool.definition;
        changed.set(definition.name, same ? tool : redefined(tool, definition));
      }
      return changed;
    },
  };
}

function requireDefinitions(definitions: unknown): readonly ToolDefinition[] {
  if (Array.isArray(definitions)) return definitions;
  throw new UserError(
    `A function of \`prepared()\` returned ${showValue(definitions)}. Return a list of tool definitions.`,
  );
}

/** Decides whether a call needs approval, from the context, the tool and the validated arguments. */
export type ApprovalPolicy<in Deps = unknown> = (
  ctx: RunContext<Deps>,
  definition: ToolDefinition,
  args: unknown,
) => boolean | Promise<boolean>;

/** Requires approval for every call, or for the calls for which the policy returns `true`. */
export function requireApproval<Deps>(policy: ApprovalPolicy<Deps> = () => true): ToolChange<Deps> {
  requireFunction('The policy of `approvalRequired`', policy);
  return changeEach('approvalRequired', (tool) => new GuardedTool(tool, policy));
}

/** A tool with an approval policy. The policy can add approvals, never remove them. */
class GuardedTool<in Deps> extends WrappedTool<Deps> {
  readonly #policy: ApprovalPolicy<Deps>;

  constructor(inner: ToolsetTool<Deps>, policy: ApprovalPolicy<Deps>) {
    super(inner, inner.definition);
    this.#policy = policy;
  }

  override async needsApproval(args: unknown, ctx: RunContext<Deps>): Promise<boolean> {
    recordGuardCheck(ctx, this.#policy);
    if (await super.needsApproval(args, ctx)) return true;
    const decider = `The approval policy for tool \`${this.definition.name}\``;
    return requireDecision(decider, () => this.#policy(ctx, this.definition, args));
  }

  override execute(permit: Permit, ctx: RunContext<Deps>): unknown {
    requireGuardCheck(ctx, this.#policy);
    return super.execute(permit, ctx);
  }
}

/** Adds metadata to the selected tools. It takes precedence over metadata of the tools. */
export function addMetadata<Deps>(
  metadata: JsonObject,
  selector: ToolSelector<Deps> = 'all',
): ToolChange<Deps> {
  return changeSelected('withMetadata', selector, (definition) => ({
    ...definition,
    metadata: Object.freeze({ ...definition.metadata, ...metadata }),
  }));
}

/** Sends return schemas to the model, unless a tool sets `includeReturnSchema` itself. */
export function addReturnSchemas<Deps>(selector: ToolSelector<Deps> = 'all'): ToolChange<Deps> {
  return changeSelected('includeReturnSchemas', selector, (definition) => ({
    ...definition,
    includeReturnSchema: definition.includeReturnSchema ?? true,
  }));
}

/** Hides the selected tools until a search or another tool surfaces them. */
export function hideTools<Deps>(selector: ToolSelector<Deps> = 'all'): ToolChange<Deps> {
  return changeSelected('deferLoading', selector, (definition) => ({
    ...definition,
    deferLoading: true,
  }));
}
