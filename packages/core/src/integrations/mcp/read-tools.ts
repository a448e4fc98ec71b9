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

/** A tool as its server describes it; checked and frozen. */
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

/** A tool that a server lists and that cannot be used. */
export interface McpRejectedTool {
  /** Its name, or its position where it has none. */
  readonly tool: string;
  readonly reason: string;
}

/** How long the description of one tool may be as JSON. */
const LONGEST_TOOL = 100_000;

/** Nothing that is invisible or breaks a line: people read these names when they approve calls. */
const NAME = /^[^\p{C}\p{Z}]{1,128}$/u;

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

/** Reads what a server lists, tool by tool: one that will not do leaves the others as they are. */
export function readTools(listed: readonly unknown[]): {
  readonly tools: readonly ServerTool[];
  readonly refused: readonly McpRejectedTool[];
} {
  const tools = new Map<string, ServerTool>();
  const refused: McpRejectedTool[] = [];
  const repeated = new Set<string>();
  for (const [index, item] of listed.entries()) {
    try {
      const tool = toolFormat.read(withoutNulls(item), JsonPath.root);
      refuseUnusable(tool);
      if (tools.has(tool.name)) repeated.add(tool.name);
      tools.set(tool.name, tool);
    } catch (error) {
      if (!(error instanceof InvalidJsonError)) throw error;
      refused.push(Object.freeze({ tool: nameOf(item, index), reason: error.message }));
    }
  }
  for (const name of repeated) {
    tools.delete(name);
    refused.push(
      Object.freeze({ tool: name, reason: 'There is more than one tool of this name.' }),
    );
  }
  return { tools: Object.freeze([...tools.values()]), refused: Object.freeze(refused) };
}

/** Members that are null count as absent: some servers write all members out. */
function withoutNulls(item: unknown): unknown {
  if (!isPlainObject(item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([, member]) => member !== null));
}

function readName(value: unknown, path: JsonPath): string {
  const name = stringFormat.read(value, path);
  if (!NAME.test(name)) {
    return path.fail('A name has 1 to 128 characters, without spaces and control characters.');
  }
  // Names become keys in places that are not ours, such as the client of a provider.
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

function refuseUnusable(tool: ServerTool): void {
  if (JSON.stringify(tool).length > LONGEST_TOOL) {
    JsonPath.of('tool').fail(`The description is longer than ${LONGEST_TOOL} characters.`);
  }
  if (tool.execution?.['taskSupport'] === 'required') {
    JsonPath.of('execution').fail('The tool can only be called as a task, which is not supported.');
  }
}

function nameOf(item: unknown, index: number): string {
  const name = isPlainObject(item) ? item['name'] : undefined;
  return typeof name === 'string' ? name.slice(0, 128) : `tools[${index}]`;
}
