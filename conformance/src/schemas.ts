import type { JsonObject, JsonValue, StandardSchema } from 'holdpoint';
import type { Params, ParamSpec, StructuredOutputSpec } from './scenario.ts';

/** A structured output with the name of its declaration. */
export class Produced {
  readonly type: string;
  readonly value: JsonObject;

  constructor(type: string, value: JsonObject) {
    this.type = type;
    this.value = value;
  }
}

/**
 * Creates the schema of a tool's parameters.
 *
 * It converts numeric strings to integers, and nothing else. It reports an issue for each missing
 * or invalid field and for each unknown key.
 */
export function paramsSchema(params: Params): StandardSchema<unknown, JsonObject> {
  return objectSchema(params, { unknownKeys: 'reject', keep: (value) => value });
}

/** Creates the schema of a structured output. It ignores unknown keys. */
export function outputSchema(spec: StructuredOutputSpec): StandardSchema<unknown, Produced> {
  return objectSchema(spec.fields, {
    title: spec.name,
    unknownKeys: 'ignore',
    keep: (value) => new Produced(spec.name, value),
  });
}

interface ObjectSchemaOptions<Output> {
  readonly title?: string;
  readonly unknownKeys: 'reject' | 'ignore';
  readonly keep: (value: JsonObject) => Output;
}

function objectSchema<Output>(
  params: Params,
  options: ObjectSchemaOptions<Output>,
): StandardSchema<unknown, Output> {
  const json = () => toJsonSchema(params, options);
  return {
    '~standard': {
      version: 1,
      vendor: 'conformance',
      jsonSchema: { input: json, output: json },
      validate(input) {
        if (!isObject(input)) return { issues: [{ message: 'must be an object', path: [] }] };
        const { value, issues } = checkFields(params, input);
        if (options.unknownKeys === 'reject') {
          for (const key of Object.keys(input)) {
            if (!Object.hasOwn(params, key)) issues.push({ message: 'is not known', path: [key] });
          }
        }
        return issues.length > 0 ? { issues } : { value: options.keep(value) };
      },
    },
  };
}

interface Issue {
  readonly message: string;
  readonly path: readonly string[];
}

function checkFields(params: Params, input: JsonObject) {
  const value: Record<string, JsonValue> = {};
  const issues: Issue[] = [];
  for (const [name, param] of Object.entries(params)) {
    const given = Object.hasOwn(input, name) ? input[name] : param.default;
    if (given === undefined) {
      issues.push({ message: 'is missing', path: [name] });
      continue;
    }
    // A default is not validated, as in the reference.
    const converted = Object.hasOwn(input, name) ? convert(param, given) : given;
    if (converted === undefined) issues.push({ message: `is no ${param.type}`, path: [name] });
    else value[name] = converted;
  }
  return { value, issues };
}

/** Converts a value to the type of a parameter. Returns `undefined` if it does not match. */
function convert(param: ParamSpec, value: JsonValue): JsonValue | undefined {
  switch (param.type) {
    case 'integer': {
      const number = typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value) ? +value : value;
      return Number.isInteger(number) ? number : undefined;
    }
    case 'object':
      return isObject(value) ? value : undefined;
    case 'array':
      return Array.isArray(value) ? value : undefined;
    default:
      return typeof value === param.type ? value : undefined;
  }
}

function toJsonSchema(params: Params, options: ObjectSchemaOptions<unknown>) {
  const names = Object.keys(params);
  return {
    ...(options.title === undefined ? {} : { title: options.title }),
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { ...params[name] }])),
    required: names.filter((name) => !Object.hasOwn(params[name] ?? {}, 'default')),
    ...(options.unknownKeys === 'reject' ? { additionalProperties: false } : {}),
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
