import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import type { JsonSchema } from '../models/json-schema.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { SchemaValidation } from '../tools/input-schema.ts';
import { registerKnownTools } from '../tools/known-tools.ts';
import { requireToolName } from '../tools/tool-name.ts';
import { AbstractToolset } from './abstract-toolset.ts';
import type { ToolMap, ToolsetTool } from './toolset.ts';

/** What is known about a tool whose results come from somewhere else. */
export type ExternalTool = Partial<Omit<ToolDefinition, 'kind'>> & {
  readonly name: string;
  readonly parametersJsonSchema?: JsonSchema | undefined;
};

/** `kind` is there because a whole definition may be given: it is replaced. */
const EXTERNAL_TOOL_OPTIONS: OptionTable<ToolDefinition> = {
  name: 'string',
  parametersJsonSchema: 'object',
  description: 'string',
  outerKey: 'string',
  strict: 'boolean',
  sequential: 'boolean',
  kind: 'string',
  metadata: 'object',
  timeout: 'number',
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

/** Tools whose results come from somewhere else: every call to them is deferred. */
export class ExternalToolset extends AbstractToolset {
  readonly #id: string | undefined;
  readonly #tools: ToolMap;

  constructor(tools: readonly ExternalTool[], options: { readonly id?: string | undefined } = {}) {
    super();
    checkOptions('`ExternalToolset`', options, { id: 'string' });
    this.#id = options.id;
    const entries = new Map<string, ToolsetTool>();
    for (const tool of tools) {
      checkOptions(`external tool \`${tool.name}\``, tool, EXTERNAL_TOOL_OPTIONS);
      requireToolName(tool.name);
      if (entries.has(tool.name)) {
        throw new UserError(
          `There are two tools named '${tool.name}' in ${this.label}. Rename one.`,
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
  /** There is nobody here who could look at the arguments: what is no JSON object ends the run. */
  readonly maxRetries = 0;

  get executor(): object {
    return this;
  }

  constructor(tool: ExternalTool) {
    this.definition = Object.freeze({
      sequential: false,
      deferLoading: false,
      parametersJsonSchema: Object.freeze({ type: 'object', properties: {} }),
      ...withoutUndefined(tool),
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
    throw new UserError(`'${this.definition.name}' is external: answer its call, do not run it.`);
  }
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as T;
}
