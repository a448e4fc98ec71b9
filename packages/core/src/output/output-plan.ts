import { DeferredToolRequests } from '../deferred/requests.ts';
import { UserError } from '../errors/user-errors.ts';
import type { JsonSchema } from '../models/json-schema.ts';
import type { OutputSchema } from '../models/model.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import { toJsonSchema } from '../tools/input-schema.ts';
import type { StandardSchema } from '../tools/standard-schema.ts';
import { anyOf } from './any-of.ts';
import {
  type NoOutput,
  type OutputChoice,
  OutputDeclaration,
  type OutputExecute,
  type OutputForm,
  type OutputSpec,
} from './output-spec.ts';

/** What a run may end with, worked out once. */
export interface OutputPlan {
  /** What becomes of the model's text; `undefined` where text is no valid output. */
  readonly text: TextOutput | undefined;
  readonly tools: ReadonlyMap<string, OutputTool>;
  /** The same tools as the model is offered them. */
  readonly definitions: readonly ToolDefinition[];
  readonly allowsNone: boolean;
  /** Whether the run may end with calls that wait for an answer. */
  readonly allowsDeferred: boolean;
}

/** How text becomes the output. */
export interface TextOutput {
  /** The JSON that the text must be, where the output is native. */
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

/** A schema, and the key under which its value is sent where it is not an object. */
export interface WrappedSchema {
  readonly schema: StandardSchema;
  readonly outerKey: string | undefined;
}

type ToolForm = Extract<OutputForm, { kind: 'tool' }>;

const plans = new WeakMap<object, OutputPlan>();

/** Works out what a run may end with; the same specification is worked out once. */
export function planOutput(spec: OutputSpec): OutputPlan {
  const known = plans.get(spec);
  if (known !== undefined) return known;
  const plan = makePlan(Array.isArray(spec) ? spec : [spec as OutputChoice]);
  plans.set(spec, plan);
  return plan;
}

function makePlan(choices: readonly OutputChoice[]): OutputPlan {
  if (choices.length === 0) {
    throw new UserError('The list of outputs is empty. Name at least one, such as String.');
  }
  let text: TextOutput | undefined;
  let allowsNone = false;
  let allowsDeferred = false;
  const toolForms: ToolForm[] = [];
  for (const choice of choices) {
    if (isNone(choice)) {
      allowsNone = true;
      continue;
    }
    if (isDeferred(choice)) {
      allowsDeferred = true;
      continue;
    }
    const form = formOf(choice);
    if (form?.kind === 'tool') {
      toolForms.push(form);
      continue;
    }
    if (text !== undefined) {
      throw new UserError(
        'Two outputs are made from text (String, textOutput, nativeOutput). Keep one of them; ' +
          'nativeOutput takes a list of schemas.',
      );
    }
    text = planText(form);
  }
  if (text === undefined && toolForms.length === 0 && !allowsNone) {
    throw new UserError(
      'DeferredToolRequests is the only output. Name what the run ends with otherwise, such as String.',
    );
  }
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

function isDeferred(choice: OutputChoice): choice is typeof DeferredToolRequests {
  return choice === DeferredToolRequests;
}

function isNone(choice: OutputChoice): choice is NoOutput {
  return 'output' in choice && choice.output === 'none';
}

/** `undefined` stands for plain text. */
function formOf(
  choice: Exclude<OutputChoice, NoOutput | typeof DeferredToolRequests>,
): OutputForm | undefined {
  if (choice === String) return undefined;
  if (choice instanceof OutputDeclaration) return choice.form;
  if ('~standard' in choice) return { kind: 'tool', schema: choice };
  throw new UserError(
    'An output is neither String, a schema, none, nor made by toolOutput, nativeOutput, ' +
      'outputFunction or textOutput. If it is a schema, its library must support Standard Schema.',
  );
}

function planText(form: Exclude<OutputForm, ToolForm> | undefined): TextOutput {
  if (form === undefined) return { native: undefined, execute: undefined };
  if (form.kind === 'text') return { native: undefined, execute: form.execute };
  const [only, ...others] = form.schemas;
  if (only === undefined) throw new UserError('nativeOutput needs at least one schema.');
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

function planTools(forms: readonly ToolForm[]): Map<string, OutputTool> {
  const tools = new Map<string, OutputTool>();
  for (const form of forms) {
    const { json, inner, check } = wrap(form.schema, 'The schema of an output');
    const title =
      forms.length === 1 ? undefined : (titleOf(inner) ?? textAt(inner, 'type') ?? 'value');
    const name = freeName(form.name ?? (title ? `${BASE_NAME}_${title}` : BASE_NAME), tools);
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

function freeName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`;
  return name;
}

const OUTER_KEY = 'value';

/** Models send objects only: a schema that is not one goes under a key. */
function wrap(
  schema: StandardSchema,
  what: string,
): { json: JsonSchema; inner: JsonSchema; check: WrappedSchema } {
  const inner = toJsonSchema(schema, what);
  if (inner['type'] === 'object') {
    return { json: inner, inner, check: { schema, outerKey: undefined } };
  }
  const wrapped = Object.freeze({
    type: 'object',
    properties: Object.freeze({ [OUTER_KEY]: inner }),
    required: Object.freeze([OUTER_KEY]),
    additionalProperties: false,
  });
  return { json: wrapped, inner, check: { schema, outerKey: OUTER_KEY } };
}

function titleOf(json: JsonSchema): string | undefined {
  return textAt(json, 'title')?.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}

function textAt(json: JsonSchema, keyword: string): string | undefined {
  const value = json[keyword];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
