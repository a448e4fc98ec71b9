import { DeferredToolRequests } from '../deferred/requests.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import type { OutputSchema } from '../models/model.ts';
import type { JsonSchema, ToolDefinition } from '../models/tool-definition.ts';
import { toJsonSchema } from '../tools/input-schema.ts';
import type { StandardIssue, StandardResult, StandardSchema } from '../tools/standard-schema.ts';
import {
  type NoOutput,
  type OutputChoice,
  OutputDeclaration,
  type OutputExecute,
  type OutputForm,
  type OutputSpec,
} from './output-spec.ts';

/** The outputs that a run may end with. */
export interface OutputPlan {
  /** The treatment of the text output; `undefined` if text is not a valid output. */
  readonly text: TextOutput | undefined;
  readonly tools: ReadonlyMap<string, OutputTool>;
  /** The definitions of the output tools, as offered to the model. */
  readonly definitions: readonly ToolDefinition[];
  readonly allowsNone: boolean;
  /** True if the run may park. */
  readonly allowsDeferred: boolean;
}

/** The conversion of text to the output. */
export interface TextOutput {
  /** The schema of the JSON in the text, if the output is native. */
  readonly native: (OutputSchema & { readonly check: WrappedSchema }) | undefined;
  readonly execute: OutputExecute<string, unknown> | undefined;
}

/** A tool whose arguments are the output. */
export interface OutputTool {
  readonly definition: ToolDefinition;
  readonly check: WrappedSchema;
  readonly execute: OutputExecute<never, unknown> | undefined;
  readonly maxRetries: number | undefined;
}

/** A schema, and the key under which the model sends its value if that is not an object. */
export interface WrappedSchema {
  readonly schema: StandardSchema;
  readonly outerKey: string | undefined;
}

type OutputToolForm = Extract<OutputForm, { kind: 'tool' }>;

const plans = new WeakMap<object, OutputPlan>();

/** Returns the outputs that a run may end with. Each specification is planned once. */
export function planOutput(spec: OutputSpec): OutputPlan {
  const known = plans.get(spec);
  if (known !== undefined) return known;
  const plan = makePlan(Array.isArray(spec) ? spec : [spec as OutputChoice]);
  plans.set(spec, plan);
  return plan;
}

function makePlan(choices: readonly OutputChoice[]): OutputPlan {
  if (choices.length === 0) {
    throw new UserError(
      'The list in `output` is empty, so the run could not end. Pass at least one output, such as `String`.',
    );
  }
  let text: TextOutput | undefined;
  let allowsNone = false;
  let allowsDeferred = false;
  const toolForms: OutputToolForm[] = [];
  for (const choice of choices) {
    requireOutput(choice);
    if (isNoOutput(choice)) {
      allowsNone = true;
      continue;
    }
    if (isDeferredRequests(choice)) {
      allowsDeferred = true;
      continue;
    }
    const form = outputFormOf(choice);
    if (form?.kind === 'tool') {
      toolForms.push(form);
      continue;
    }
    if (text !== undefined) {
      throw new UserError(
        'Two outputs in `output` use the text of the model (`String`, `textOutput`, `nativeOutput`), so a text would be ambiguous. ' +
          'Pass one of them. `nativeOutput` accepts a list of schemas.',
      );
    }
    text = planText(form);
  }
  if (text === undefined && toolForms.length === 0 && !allowsNone) {
    throw new UserError(
      '`DeferredToolRequests` is the only output, so the run could only park. Pass a second output, such as `String`.',
    );
  }
  if (allowsNone && toolForms.length > 0) toolForms.push({ kind: 'tool', schema: NO_VALUE });
  const tools = planTools(toolForms);
  const definitions = [...tools.values()].map((tool) => tool.definition);
  return Object.freeze({
    text,
    tools,
    definitions: Object.freeze(definitions),
    allowsNone,
    allowsDeferred,
  });
}

/** Throws for a value without members, which programs without types may pass. */
function requireOutput(choice: unknown): void {
  if (typeof choice === 'function' || (typeof choice === 'object' && choice !== null)) return;
  throw notAnOutput(choice);
}

function notAnOutput(choice: unknown): UserError {
  return new UserError(
    `An output is ${showValue(choice)}, which is neither \`String\`, \`noOutput\`, a schema, nor the result of ` +
      '`toolOutput`, `nativeOutput`, `outputFunction` or `textOutput`. Pass one of these. Check that the library of a ' +
      'schema supports Standard Schema.',
  );
}

function isDeferredRequests(choice: OutputChoice): choice is typeof DeferredToolRequests {
  return choice === DeferredToolRequests;
}

function isNoOutput(choice: OutputChoice): choice is NoOutput {
  return 'output' in choice && choice.output === 'none';
}

/** Returns the form of an output; `undefined` for plain text. */
function outputFormOf(
  choice: Exclude<OutputChoice, NoOutput | typeof DeferredToolRequests>,
): OutputForm | undefined {
  if (choice === String) return undefined;
  if (choice instanceof OutputDeclaration) return choice.form;
  if ('~standard' in choice) return { kind: 'tool', schema: choice };
  throw notAnOutput(choice);
}

function planText(form: Exclude<OutputForm, OutputToolForm> | undefined): TextOutput {
  if (form === undefined) return { native: undefined, execute: undefined };
  if (form.kind === 'text') return { native: undefined, execute: form.execute };
  const [only, ...others] = form.schemas;
  if (only === undefined) throw new UserError('`nativeOutput` has no schema. Pass at least one.');
  const schema = others.length === 0 ? only : anyOf(form.schemas);
  const { json, inner, check } = wrap(schema, 'The schema of a native output');
  const name = form.name ?? titleOf(inner) ?? 'output';
  return {
    native: {
      name,
      description: form.description ?? textAt(inner, 'description'),
      schema: json,
      strict: form.strict,
      check,
    },
    execute: undefined,
  };
}

const BASE_NAME = 'final_result';

/** The schema of an output tool for no output. The name of the tool is the same as in Pydantic AI. */
const NO_VALUE: StandardSchema = Object.freeze({
  '~standard': Object.freeze({
    version: 1,
    vendor: 'holdpoint',
    jsonSchema: Object.freeze({
      input: () => ({ title: 'NoneType', type: 'null' }),
      output: () => ({ title: 'NoneType', type: 'null' }),
    }),
    validate: (value: unknown) =>
      value === null ? { value } : { issues: [{ message: 'This must be null.' }] },
  }),
});

function planTools(forms: readonly OutputToolForm[]): Map<string, OutputTool> {
  const tools = new Map<string, OutputTool>();
  for (const form of forms) {
    const { json, inner, check } = wrap(form.schema, 'The schema of an output');
    const title =
      forms.length === 1 ? undefined : (titleOf(inner) ?? textAt(inner, 'type') ?? 'value');
    const name = uniqueName(form.name ?? (title ? `${BASE_NAME}_${title}` : BASE_NAME), tools);
    const definition: ToolDefinition = Object.freeze({
      name,
      parametersJsonSchema: json,
      description: form.description ?? textAt(inner, 'description'),
      outerKey: check.outerKey,
      strict: form.strict,
      sequential: form.sequential ?? false,
      kind: 'output',
      deferLoading: false,
    });
    tools.set(name, { definition, check, execute: form.execute, maxRetries: form.maxRetries });
  }
  return tools;
}

function uniqueName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`;
  return name;
}

const OUTER_KEY = 'value';

/** Wraps a schema that is not an object under a key, because models send objects only. */
function wrap(
  schema: StandardSchema,
  what: string,
): { json: JsonSchema; inner: JsonSchema; check: WrappedSchema } {
  const inner = toJsonSchema(schema, what);
  if (inner['type'] === 'object') {
    return { json: inner, inner, check: { schema, outerKey: undefined } };
  }
  const json = Object.freeze({
    type: 'object',
    properties: Object.freeze({ [OUTER_KEY]: inner }),
    required: Object.freeze([OUTER_KEY]),
    additionalProperties: false,
  });
  return { json, inner, check: { schema, outerKey: OUTER_KEY } };
}

function titleOf(json: JsonSchema): string | undefined {
  return textAt(json, 'title')?.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}

function textAt(json: JsonSchema, keyword: string): string | undefined {
  const value = json[keyword];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a schema that accepts the values of any of `schemas`. The first one that accepts a value determines the output. */
function anyOf(schemas: readonly StandardSchema[]): StandardSchema {
  const json = () => ({
    anyOf: schemas.map((schema) => toJsonSchema(schema, 'A schema in a union')),
  });
  return {
    '~standard': {
      version: 1,
      vendor: 'holdpoint',
      jsonSchema: { input: json, output: json },
      async validate(value: unknown): Promise<StandardResult<unknown>> {
        const issues: StandardIssue[] = [];
        for (const schema of schemas) {
          const result = await schema['~standard'].validate(value);
          if (result.issues === undefined) return result;
          issues.push(...result.issues);
        }
        return { issues };
      },
    },
  };
}
