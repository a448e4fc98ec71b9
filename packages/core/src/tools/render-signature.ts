import type { ToolDefinition } from '../models/tool-definition.ts';
import { schemaToType, toComment } from './schema-to-type.ts';

/** Replacements for parts of the definition in a signature. */
export interface SignatureOptions {
  /** The body of the function. Without it the signature is a declaration. */
  readonly body?: string | undefined;
  /** Replaces the name of the tool. */
  readonly name?: string | undefined;
  /** Replaces the description of the tool; an empty text leaves it out. */
  readonly description?: string | undefined;
}

/**
 * Renders a tool as a TypeScript function with its description, for people and for models that write
 * code.
 *
 * @example
 * renderSignature(definition)
 * // /** Deletes a file. *\/
 * // declare function delete_file(args: { path: string }): Promise<string>;
 *
 * renderSignature(definition, { body: '...' })
 * // /** Deletes a file. *\/
 * // async function delete_file(args: { path: string }): Promise<string> {
 * //   ...
 * // }
 */
export function renderSignature(
  definition: ToolDefinition,
  { body, name = definition.name, description = definition.description }: SignatureOptions = {},
): string {
  const { parametersJsonSchema, returnSchema } = definition;
  const result = returnSchema === undefined ? 'unknown' : schemaToType(returnSchema);
  const head = `function ${toName(name)}(args: ${schemaToType(parametersJsonSchema)}): Promise<${result}>`;
  const signature =
    body === undefined ? `declare ${head};` : `async ${head} {\n${indented(body)}\n}`;
  return description ? `/** ${toComment(description)} */\n${signature}` : signature;
}

function indented(body: string): string {
  return body.replaceAll(/^(?=.)/gm, '  ');
}

/** Converts the name of a tool to a valid identifier. */
function toName(name: string): string {
  const word = name.replaceAll(/[^\w$]/g, '_');
  return /^\d/.test(word) ? `_${word}` : word;
}
