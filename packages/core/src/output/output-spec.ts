import type { RunContext } from '../context/run-context.ts';
import {
  checkOptions,
  checkRequiredOptions,
  type OptionTable,
  requireFunction,
} from '../errors/check-options.ts';
import type { DeferredToolRequests } from '../deferred/requests.ts';
import type { DeepReadonly } from '../tools/deep-readonly.ts';
import type { InferOutput, StandardSchema } from '../tools/standard-schema.ts';

/** The outputs that a run may end with: one, or a list from which the model chooses. */
export type OutputSpec = OutputChoice | readonly OutputChoice[];

/**
 * One kind of output:
 *
 * - `String`: the model's text
 * - a schema: a value, with which the model calls an output tool
 * - the result of {@link toolOutput}, {@link nativeOutput}, {@link outputFunction} or {@link textOutput}
 * - {@link noOutput}: nothing; a response without text is valid
 * - `DeferredToolRequests`: the run may park with pending calls
 */
export type OutputChoice =
  | StringConstructor
  | StandardSchema
  | OutputDeclaration<unknown, never>
  | NoOutput
  | typeof DeferredToolRequests;

/** The type of `result.output` for an {@link OutputSpec}. */
export type OutputOf<Spec> = Spec extends readonly (infer Choice)[]
  ? OutputChoiceOf<Choice>
  : OutputChoiceOf<Spec>;

/** The output type of one choice of an output declaration. */
export type OutputChoiceOf<Choice> = Choice extends StringConstructor
  ? string
  : Choice extends NoOutput
    ? null
    : Choice extends typeof DeferredToolRequests
      ? never
      : Choice extends OutputDeclaration<infer Value, never>
        ? Value
        : InferOutput<Choice>;

/** `true` if a run with an {@link OutputSpec} may park. */
export type MayDefer<Spec> = typeof DeferredToolRequests extends (
  Spec extends readonly (infer Choice)[]
    ? Choice
    : Spec
)
  ? true
  : false;

/** The dependencies that the functions of an {@link OutputSpec} need. */
export type OutputDepsOf<Spec> = (
  Spec extends readonly (infer Choice)[]
    ? Choice
    : Spec
) extends infer Choice
  ? [Extract<Choice, OutputDeclaration<unknown, never>>] extends [never]
    ? unknown
    : Extract<Choice, OutputDeclaration<unknown, never>> extends OutputDeclaration<
          unknown,
          infer Deps
        >
      ? Deps
      : unknown
  : unknown;

/** Allows a run to end with nothing; the output is then `null`. */
export const noOutput: NoOutput = Object.freeze({ output: 'none' });

/** The type of {@link noOutput}. */
export interface NoOutput {
  readonly output: 'none';
}

/** A function that converts the value of the model to the output. Throw `ModelRetry` to make the model try again. */
export type OutputExecute<in Input, out Value, in Deps = never> = (
  input: Input,
  ctx: RunContext<Deps>,
) => Value | Promise<Value>;

/** An output with options. */
export class OutputDeclaration<out Value = unknown, in Deps = unknown> {
  /** Only for type inference. */
  declare readonly '~value': Value;
  /** Only for type inference. */
  declare readonly '~deps': (deps: Deps) => void;
  readonly form: OutputForm;

  /** Use {@link toolOutput}, {@link nativeOutput}, {@link outputFunction} or {@link textOutput}. */
  constructor(form: OutputForm) {
    this.form = form;
  }
}

/** The form of a declared output. */
export type OutputForm =
  | (ToolOutputOptions & {
      readonly kind: 'tool';
      readonly schema: StandardSchema;
      readonly execute?: OutputExecute<never, unknown>;
    })
  | (NativeOutputOptions & { readonly kind: 'native'; readonly schemas: readonly StandardSchema[] })
  | { readonly kind: 'text'; readonly execute: OutputExecute<string, unknown> };

/** Options of an output for which the model calls an output tool. */
export interface ToolOutputOptions {
  /** The name of the output tool. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** The number of times that the model may try again with this output. */
  readonly maxRetries?: number | undefined;
  readonly strict?: boolean | undefined;
  /** True if the output is processed alone, and not in parallel with tools and other outputs. */
  readonly sequential?: boolean | undefined;
}

/** Options of an output that the model sends as JSON text. */
export interface NativeOutputOptions {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly strict?: boolean | undefined;
}

const NATIVE_OPTIONS: OptionTable<NativeOutputOptions> = {
  name: 'string',
  description: 'string',
  strict: 'boolean',
};

const TOOL_OUTPUT_OPTIONS: OptionTable<ToolOutputOptions> = {
  ...NATIVE_OPTIONS,
  maxRetries: 'count',
  sequential: 'boolean',
};

/** Declares an output for which the model calls an output tool, with options for that tool. */
export function toolOutput<Schema extends StandardSchema>(
  schema: Schema,
  options: ToolOutputOptions = {},
): OutputDeclaration<InferOutput<Schema>> {
  checkOptions('`toolOutput`', options, TOOL_OUTPUT_OPTIONS);
  return new OutputDeclaration({ ...options, kind: 'tool', schema });
}

/** Declares an output that the model sends as JSON text, with the structured output of the provider. */
export function nativeOutput<const Schemas extends StandardSchema | readonly StandardSchema[]>(
  schemas: Schemas,
  options: NativeOutputOptions = {},
): OutputDeclaration<
  Schemas extends readonly (infer One)[] ? InferOutput<One> : InferOutput<Schemas>
> {
  checkOptions('`nativeOutput`', options, NATIVE_OPTIONS);
  return new OutputDeclaration({
    ...options,
    kind: 'native',
    schemas: '~standard' in schemas ? [schemas] : schemas,
  });
}

/** Declares an output that a function creates from the arguments of an output tool. */
export function outputFunction<Schema extends StandardSchema, Value, Deps = unknown>(
  options: ToolOutputOptions & {
    readonly inputSchema: Schema;
    readonly execute: (
      args: DeepReadonly<InferOutput<Schema>>,
      ctx: RunContext<Deps>,
    ) => Value | Promise<Value>;
  },
): OutputDeclaration<Awaited<Value>, Deps> {
  checkRequiredOptions('`outputFunction`', options, {
    ...TOOL_OUTPUT_OPTIONS,
    inputSchema: 'value',
    execute: 'function',
  });
  const { inputSchema, execute, ...rest } = options;
  requireFunction('`execute` of `outputFunction`', execute);
  return new OutputDeclaration({ ...rest, kind: 'tool', schema: inputSchema, execute });
}

/** Declares an output that a function creates from the text of the model. */
export function textOutput<Value, Deps = unknown>(
  execute: (text: string, ctx: RunContext<Deps>) => Value | Promise<Value>,
): OutputDeclaration<Awaited<Value>, Deps> {
  requireFunction('The function of `textOutput`', execute);
  return new OutputDeclaration({ kind: 'text', execute });
}
