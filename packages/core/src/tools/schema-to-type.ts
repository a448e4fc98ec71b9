import type { JsonValue } from '../internal/json.ts';
import type { JsonSchema, ToolDefinition } from '../models/tool-definition.ts';

/**
 * Renders a JSON Schema as a TypeScript type, for people and models to read.
 *
 * Ranges and patterns are left out. Unspecified types are `unknown`. A recursive schema is expanded once;
 * a reference to itself is `unknown`.
 */
export function schemaToType(schema: JsonSchema): string {
  return new TypeWriter(schema).write(schema);
}

class TypeWriter {
  readonly #root: JsonSchema;
  /** The references that are being expanded, outermost first. */
  readonly #within: string[] = [];

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  write(schema: JsonValue | undefined): string {
    if (!isSchema(schema)) return schema === false ? 'never' : 'unknown';
    if (typeof schema['$ref'] === 'string') return this.#reference(schema['$ref']);
    if ('const' in schema) return JSON.stringify(schema['const']);
    if (Array.isArray(schema['enum']))
      return union(schema['enum'].map((one) => JSON.stringify(one)));
    const variants = asArray(schema['anyOf'] ?? schema['oneOf']);
    if (variants.length > 0) return union(variants.map((one) => this.write(one)));
    const all = asArray(schema['allOf']);
    if (all.length > 0) return all.map((one) => grouped(this.write(one))).join(' & ');
    const types = asArray(schema['type'] ?? []);
    if (types.length === 0) return 'properties' in schema ? this.#object(schema) : 'unknown';
    return union(types.map((type) => this.#typed(type, schema)));
  }

  #typed(type: JsonValue, schema: JsonSchema): string {
    switch (type) {
      case 'object':
        return this.#object(schema);
      case 'array':
        return this.#array(schema);
      case 'integer':
      case 'number':
        return 'number';
      case 'string':
      case 'boolean':
      case 'null':
        return type;
      default:
        return 'unknown';
    }
  }

  #array(schema: JsonSchema): string {
    const tuple = schema['prefixItems'] ?? schema['items'];
    if (Array.isArray(tuple)) return `[${tuple.map((item) => this.write(item)).join(', ')}]`;
    return `${grouped(this.write(schema['items']))}[]`;
  }

  #object(schema: JsonSchema): string {
    const properties = isSchema(schema['properties']) ? schema['properties'] : {};
    const required = new Set(asArray(schema['required'] ?? []));
    const members = Object.entries(properties).map(([name, member]) => {
      const optional = required.has(name) ? '' : '?';
      return `${comment(member)}${propertyKey(name)}${optional}: ${this.write(member)}`;
    });
    const others = schema['additionalProperties'];
    if (isSchema(others)) members.push(`[key: string]: ${this.write(others)}`);
    if (members.length > 0) return `{ ${members.join('; ')} }`;
    return others === false || 'properties' in schema ? '{}' : 'Record<string, unknown>';
  }

  #reference(reference: string): string {
    if (this.#within.includes(reference)) return 'unknown';
    this.#within.push(reference);
    const type = this.write(this.#find(reference));
    this.#within.pop();
    return type;
  }

  /** Resolves a reference within the schema, such as `#/$defs/Point`. */
  #find(reference: string): JsonValue | undefined {
    if (!reference.startsWith('#')) return undefined;
    let found: JsonValue | undefined = this.#root;
    for (const step of reference.split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      found = isSchema(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }
    return found;
  }
}

function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asArray(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'never';
}

/** Adds parentheses to a union, so that it can be an operand. */
function grouped(type: string): string {
  return type.includes(' | ') && !type.startsWith('{') ? `(${type})` : type;
}

function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function comment(schema: JsonValue): string {
  const text = isSchema(schema) ? schema['description'] : undefined;
  return typeof text === 'string' && text !== '' ? `/** ${toComment(text)} */ ` : '';
}

/** Escapes a text so that it cannot end the comment around it. */
function toComment(text: string): string {
  return text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ').trim();
}

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
