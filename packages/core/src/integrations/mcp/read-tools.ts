import { InvalidJsonError } from '../../errors/user-errors.ts';
import {
  jsonObjectFormat,
  JsonPath,
  objectOf,
  optional,
  same,
  stringFormat,
} from '../../messages/codec/index.ts';
import { isPlainObject, type JsonObject } from '../../internal/json.ts';
import type { JsonSchema } from '../../models/json-schema.ts';

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
