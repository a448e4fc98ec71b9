import type { ToolDefinition } from '../models/tool-definition.ts';
import { schemaToType, toComment } from './schema-to-type.ts';

/**
 * A tool as a TypeScript signature with its description, for people and for models that write code.
 *
 * @example
 * renderSignature(definition)
 * // /** Deletes a file. *\/
 * // declare function delete_file(args: { path: string }): Promise<string>;
 */
export function renderSignature(definition: ToolDefinition): string {
  const { name, description, parametersJsonSchema, returnSchema } = definition;
  const result = returnSchema === undefined ? 'unknown' : schemaToType(returnSchema);
  const signature = `declare function ${toName(name)}(args: ${schemaToType(parametersJsonSchema)}): Promise<${result}>;`;
  return description ? `/** ${toComment(description)} */\n${signature}` : signature;
}

/** The name of a tool as one that TypeScript takes. */
function toName(name: string): string {
  const word = name.replaceAll(/[^\w$]/g, '_');
  return /^\d/.test(word) ? `_${word}` : word;
}
