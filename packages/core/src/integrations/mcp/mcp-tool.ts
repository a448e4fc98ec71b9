import type { RunContext } from '../../context/run-context.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';
import { sha256 } from '../../internal/sha-256.ts';
import type { ToolDefinition } from '../../models/tool-definition.ts';
import type { SchemaValidation } from '../../tools/input-schema.ts';
import { Permit } from '../../tools/permit.ts';
import type { ToolsetTool } from '../../toolsets/toolset.ts';
import type { ServerInfo } from './connection.ts';
import type { ServerTool } from './read-tools.ts';

/** A tool of a server, and its definition. */
export interface ListedTool {
  readonly tool: ServerTool;
  /** The definition if calls require approval. The version identifies the tool and its server. */
  readonly definition: ToolDefinition & { readonly version: string };
}

/** Calls a tool on its server with the call and the arguments of a used permit. */
export type CallTool<Deps> = (
  listed: ListedTool,
  permitted: Pick<Permit, 'call' | 'args'>,
  ctx: RunContext<Deps>,
) => Promise<unknown>;

/** A tool of a server in one step of a run. */
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

  /** Accepts all arguments, because the server validates them. */
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

/** Creates the definition of a server's tool. Its calls require approval. */
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

/** Returns a short hash of a value that does not depend on the order of members. */
export async function fingerprint(value: JsonValue): Promise<string> {
  const digest = await sha256(JSON.stringify(sorted(['holdpoint/mcp/1', value])));
  return `mcp-${digest.slice(0, 40)}`;
}

/** Converts objects to lists of members, sorted by name, so that no name has a special meaning. */
function sorted(value: JsonValue): JsonValue {
  // `isArray` widens readonly arrays to `any[]`.
  if (Array.isArray(value)) return ['list', ...(value as readonly JsonValue[]).map(sorted)];
  if (!isPlainObject(value)) return value;
  const names = Object.keys(value).toSorted();
  // The members of JSON are JSON.
  return ['object', ...names.map((name) => [name, sorted(value[name] as JsonValue)])];
}
