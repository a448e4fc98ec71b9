import type { RunContext } from '../../context/run-context.ts';
import type { JsonObject } from '../../internal/json.ts';
import type { ToolDefinition } from '../../models/tool-definition.ts';
import type { SchemaValidation } from '../../tools/input-schema.ts';
import { Permit } from '../../tools/permit.ts';
import type { ToolsetTool } from '../../toolsets/toolset.ts';
import type { ServerInfo } from './connection.ts';
import type { ServerTool } from './read-tools.ts';

/** A tool of a server, with what it and its server are known by. */
export interface ListedTool {
  readonly tool: ServerTool;
  /** What the model is offered if somebody has to approve calls. */
  readonly definition: ToolDefinition & { readonly version: string };
}

/** Calls a tool on its server, with what a permit was for that has been used. */
export type CallTool<Deps> = (
  listed: ListedTool,
  permitted: Pick<Permit, 'call' | 'args'>,
  ctx: RunContext<Deps>,
) => Promise<unknown>;

/** A tool on a server, as one step of a run sees it. */
export class McpTool<in Deps> implements ToolsetTool<Deps> {
  readonly definition: ToolDefinition;
  readonly maxRetries: number | undefined;
  readonly #listed: ListedTool;
  readonly #call: CallTool<Deps>;

  constructor(
    listed: ListedTool,
    options: {
      readonly kind: 'function' | 'unapproved';
      readonly maxRetries: number | undefined;
      readonly call: CallTool<Deps>;
    },
  ) {
    this.definition = Object.freeze({ ...listed.definition, kind: options.kind });
    this.maxRetries = options.maxRetries;
    this.#listed = listed;
    this.#call = options.call;
  }

  get executor(): object {
    return this;
  }

  /** The server checks the arguments. */
  check(args: unknown): SchemaValidation<unknown> {
    return { ok: true, value: args };
  }

  validate(): void {}

  needsApproval(): boolean {
    return false;
  }

  execute(permit: Permit, ctx: RunContext<Deps>): Promise<unknown> {
    const args = Permit.use(permit, this);
    return this.#call(this.#listed, { call: permit.call, args }, ctx);
  }
}

/** A tool of a server as the core knows it; calls to it have to be approved. */
export function listedTool(
  tool: ServerTool,
  server: ServerInfo & { readonly id: string },
  version: string,
): ListedTool {
  const { name, title, description, inputSchema, outputSchema, annotations, _meta } = tool;
  const mcp: JsonObject = Object.freeze({
    server: Object.freeze({ ...server }),
    ...(title !== undefined && { title }),
    ...(annotations && { annotations }),
    ...(outputSchema && { outputSchema }),
    ...(_meta && { meta: _meta }),
  });
  const definition = {
    name,
    description,
    parametersJsonSchema: inputSchema,
    returnSchema: outputSchema,
    sequential: false,
    deferLoading: false,
    kind: 'unapproved',
    metadata: Object.freeze({ mcp }),
    version,
  } as const;
  return Object.freeze({ tool, definition: Object.freeze(definition) });
}
