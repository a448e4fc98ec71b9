import type { JsonObject, ToolDefinition } from 'holdpoint';
import { hashOf } from '../model/hash.ts';
import { toJson } from '../model/json.ts';

/** The JSON Schema of the arguments of a tool, as the model was told. */
export function schemaOf(definition: ToolDefinition | undefined): JsonObject | undefined {
  // A schema is a JSON object.
  return definition && (toJson(definition.parametersJsonSchema) as JsonObject);
}

/** A hash of all that people were told a tool is: if any of it changes, it is another tool. */
export function toolHashOf(definition: ToolDefinition | undefined): string | undefined {
  if (definition === undefined) return undefined;
  const { name, description = null, version = null, kind } = definition;
  try {
    return hashOf('holdpoint/tool/1', name, description, schemaOf(definition), version, kind);
  } catch {
    // What cannot be written down cannot be compared later.
    return undefined;
  }
}
