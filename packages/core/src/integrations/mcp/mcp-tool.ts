import type { RunContext } from '../../context/run-context.ts';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';
import { sha256 } from '../../internal/sha-256.ts';
import {
  jsonObjectFormat,
  JsonPath,
  objectOf,
  optional,
  same,
  stringFormat,
} from '../../messages/codec/index.ts';
import type { JsonSchema, ToolDefinition } from '../../models/tool-definition.ts';
import type { SchemaValidation } from '../../tools/input-schema.ts';
import { Permit } from '../../tools/permit.ts';
import type { ToolsetTool } from '../../toolsets/toolset.ts';
import type { ServerInfo } from './connection.ts';

/** A tool of a server, and its definition. */
export interface ListedTool {
  readonly tool: ServerTool;
  /** The definition if calls require approval. The version identifies the tool and its server. */
  readonly definition: ToolDefinition & { readonly version: string };
}

/** Calls a tool on its server with the call and the arguments of a used permit. */
type CallTool<Deps> = (
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

/** A tool in a server's list, validated and frozen. */
export interface ServerTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: JsonObject | undefined;
  readonly execution?: JsonObject | undefined;
  readonly _meta?: JsonObject | undefined;
}

/** A tool in a server's list that cannot be used. */
export interface McpRejectedTool {
  /** The name of the tool, or its index in the list if it has no name. */
  readonly tool: string;
  readonly reason: string;
}

/** The maximum number of characters of one tool as JSON. */
const MAX_TOOL_CHARACTERS = 100_000;

/** Rejects invisible characters and line breaks, because approvers read these names. */
const TOOL_NAME = /^[^\p{C}\p{Z}]{1,128}$/u;

const toolFormat = objectOf<ServerTool>({
  name: same(readName),
  title: optional(stringFormat),
  description: optional(stringFormat),
  inputSchema: same(readInputSchema),
  outputSchema: optional(jsonObjectFormat),
  annotations: optional(jsonObjectFormat),
  execution: optional(jsonObjectFormat),
  _meta: optional(jsonObjectFormat),
});

/** Validates a server's list tool by tool. An invalid tool does not affect the others. */
export function readTools(listed: readonly unknown[]): {
  readonly tools: readonly ServerTool[];
  readonly rejected: readonly McpRejectedTool[];
} {
  const tools = new Map<string, ServerTool>();
  const rejected: McpRejectedTool[] = [];
  const duplicates = new Set<string>();
  for (const [index, item] of listed.entries()) {
    try {
      const tool = toolFormat.read(withoutNulls(item), JsonPath.root);
      rejectUnusable(tool);
      if (tools.has(tool.name)) duplicates.add(tool.name);
      tools.set(tool.name, tool);
    } catch (error) {
      if (!(error instanceof InvalidJsonError)) throw error;
      rejected.push(Object.freeze({ tool: displayNameOf(item, index), reason: error.message }));
    }
  }
  for (const name of duplicates) {
    tools.delete(name);
    rejected.push(Object.freeze({ tool: name, reason: 'More than one tool has this name.' }));
  }
  return { tools: Object.freeze([...tools.values()]), rejected: Object.freeze(rejected) };
}

/** Removes members that are null, because some servers write missing members as null. */
function withoutNulls(item: unknown): unknown {
  if (!isPlainObject(item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([, member]) => member !== null));
}

function readName(value: unknown, path: JsonPath): string {
  const name = stringFormat.read(value, path);
  if (!TOOL_NAME.test(name)) {
    return path.fail('A name has 1 to 128 characters, without spaces and control characters.');
  }
  // Other libraries, such as the client of a provider, use names as keys.
  return name in Object.prototype
    ? path.fail('The name is one that every JavaScript object has.')
    : name;
}

function readInputSchema(value: unknown, path: JsonPath): JsonSchema {
  const schema = jsonObjectFormat.read(value, path);
  return schema['type'] === 'object'
    ? schema
    : path.fail('The schema of the arguments is not that of an object.');
}

function rejectUnusable(tool: ServerTool): void {
  if (JSON.stringify(tool).length > MAX_TOOL_CHARACTERS) {
    JsonPath.of('tool').fail(`The description is longer than ${MAX_TOOL_CHARACTERS} characters.`);
  }
  if (tool.execution?.['taskSupport'] === 'required') {
    JsonPath.of('execution').fail('The tool can only be called as a task, which is not supported.');
  }
}

function displayNameOf(item: unknown, index: number): string {
  const name = isPlainObject(item) ? item['name'] : undefined;
  return typeof name === 'string' ? name.slice(0, 128) : `tools[${index}]`;
}
