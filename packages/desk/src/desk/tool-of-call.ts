import type { JsonObject, ToolDefinition } from 'holdpoint';
import { hashOf } from '../model/hash.ts';
import { toJson } from '../model/json.ts';

/** Returns the JSON Schema of the arguments of a tool, as the model received it. */
export function schemaOf(definition: ToolDefinition | undefined): JsonObject | undefined {
  // A schema is a JSON object.
  return definition && (toJson(definition.parametersJsonSchema) as JsonObject);
}

/** Returns a hash of the definition of a tool. A tool with another hash is another tool for grants. */
export function toolHashOf(definition: ToolDefinition | undefined): string | undefined {
  if (definition === undefined) return undefined;
  const { name, description = null, version = null, kind } = definition;
  try {
    return hashOf('holdpoint/tool/1', name, description, schemaOf(definition), version, kind);
  } catch {
    // A definition that is not JSON cannot be compared later.
    return undefined;
  }
}

/** The title and annotations of a tool, from its own metadata or from an MCP server. */
export interface ToolLabels {
  readonly title?: string | undefined;
  readonly annotations?: JsonObject | undefined;
}

/** Returns the labels in the metadata of a tool. */
export function labelsOf(definition: ToolDefinition | undefined): ToolLabels {
  const { metadata } = definition ?? {};
  const sources = [metadata, metadata?.['mcp']].filter(isObject);
  const annotations = sources.map((source) => source['annotations']).find(isObject);
  const titles = [...sources, annotations ?? {}].map((source) => source['title']);
  const title = titles.find((text) => typeof text === 'string' && text.trim() !== '');
  return {
    ...(typeof title === 'string' && { title: title.trim().slice(0, 200) }),
    ...(annotations && { annotations }),
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
