import { checkOptions, type OptionTable, passInstead } from '../errors/check-options.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import { definedFields } from '../models/settings.ts';
import type { JsonSchema, ToolDefinition } from '../models/tool-definition.ts';
import type { SchemaValidation } from '../tools/input-schema.ts';
import { registerKnownTools } from '../tools/known-tools.ts';
import { requireToolName } from '../tools/tool-name.ts';
import { AbstractToolset } from './abstract-toolset.ts';
import type { ToolMap, ToolsetTool } from './toolset.ts';

/** The definition of a tool whose results are produced outside the run. */
export type ExternalTool = Partial<Omit<ToolDefinition, 'kind'>> & {
  readonly name: string;
  readonly parametersJsonSchema?: JsonSchema | undefined;
};

/** `kind` is accepted, and ignored, because an application may pass a complete definition. */
const EXTERNAL_TOOL_OPTIONS: OptionTable<ToolDefinition> = {
  name: 'string',
  parametersJsonSchema: 'object',
  description: 'string',
  outerKey: 'string',
  strict: 'boolean',
  sequential: 'boolean',
  kind: 'string',
  metadata: 'object',
  timeout: 'milliseconds',
  deferLoading: 'boolean',
  unlessNative: 'string',
  withNative: 'string',
  toolKind: 'string',
  returnSchema: 'object',
  includeReturnSchema: 'boolean',
  once: 'boolean',
  readOnly: 'boolean',
  idempotent: 'boolean',
  onInDoubt: ['ask', 'retry', 'fail'],
  version: 'string',
  approversSee: ['input'],
};

/** A toolset whose results are produced outside the run. Every call is deferred. */
export class ExternalToolset extends AbstractToolset {
  readonly #id: string | undefined;
  readonly #tools: ToolMap;

  constructor(tools: readonly ExternalTool[], options: { readonly id?: string | undefined } = {}) {
    super();
    checkOptions('`ExternalToolset`', options, { id: 'string' });
    this.#id = options.id;
    if (!Array.isArray(tools)) {
      throw new UserError(
        `The tools of \`ExternalToolset\` are ${showValue(tools)}. ${passInstead(tools, 'a list')}`,
      );
    }
    const entries = new Map<string, ToolsetTool>();
    for (const tool of tools) {
      checkOptions(`external tool \`${tool.name}\``, tool, EXTERNAL_TOOL_OPTIONS);
      requireToolName(tool.name);
      if (entries.has(tool.name)) {
        throw new UserError(
          `Two tools of ${this.label} are named \`${tool.name}\`. Rename one of them.`,
        );
      }
      entries.set(tool.name, new ExternalToolsetTool(tool));
    }
    this.#tools = entries;
    registerKnownTools(this, () => ({ own: [...entries.keys()], nested: [], isComplete: true }));
  }

  override get id(): string | undefined {
    return this.#id;
  }

  get label(): string {
    return this.id === undefined ? 'an external toolset' : `external toolset '${this.id}'`;
  }

  getTools(): ToolMap {
    return this.#tools;
  }
}

class ExternalToolsetTool implements ToolsetTool {
  readonly definition: ToolDefinition;
  /** Arguments that are not a JSON object end the run, because no tool here validates them. */
  readonly maxRetries = 0;

  get executor(): object {
    return this;
  }

  constructor(tool: ExternalTool) {
    this.definition = Object.freeze({
      sequential: false,
      deferLoading: false,
      parametersJsonSchema: Object.freeze({ type: 'object', properties: {} }),
      ...definedFields(tool),
      kind: 'external',
    });
  }

  check(args: unknown): SchemaValidation<unknown> {
    return { ok: true, value: args };
  }

  validate(): void {}

  needsApproval(): boolean {
    return false;
  }

  execute(): never {
    throw new UserError(
      `Tool \`${this.definition.name}\` is external, so it cannot execute here. Pass its result to ` +
        '`deferredToolResults`.',
    );
  }
}
