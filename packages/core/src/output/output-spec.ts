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

/** What a run may end with: one kind of output, or a list of which the model chooses. */
export type OutputSpec = OutputChoice | readonly OutputChoice[];

/**
 * One kind of output:
 *
 * - `String`: the model's text
 * - a schema: a value, which the model gives by calling an output tool
 * - what {@link toolOutput}, {@link nativeOutput}, {@link outputFunction} and {@link textOutput} make
 * - {@link noOutput}: nothing; an answer without text is a valid one
 * - `DeferredToolRequests`: the run may end with calls that wait for an answer
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

/** Whether a run may end with calls that wait for an answer. */
export type MayDefer<Spec> = typeof DeferredToolRequests extends (
  Spec extends readonly (infer Choice)[]
    ? Choice
    : Spec
)
  ? true
  : false;

/** What the functions of an {@link OutputSpec} need of the application. */
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

/** Turns what the model gave into the output; throw `ModelRetry` to send it back. */
export type OutputExecute<in Input, out Value, in Deps = never> = (
  input: Input,
  ctx: RunContext<Deps>,
) => Value | Promise<Value>;

/** An output with options of its own. */
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

/** How a declared output comes about. */
export type OutputForm =
  | (ToolOutputOptions & {
      readonly kind: 'tool';
      readonly schema: StandardSchema;
      readonly execute?: OutputExecute<never, unknown>;
    })
  | (NativeOutputOptions & { readonly kind: 'native'; readonly schemas: readonly StandardSchema[] })
  | { readonly kind: 'text'; readonly execute: OutputExecute<string, unknown> };

/** Options of an output that the model gives by calling a tool. */
export interface ToolOutputOptions {
  /** The name of the output tool. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** How often the model may try again with this output. */
  readonly maxRetries?: number | undefined;
  readonly strict?: boolean | undefined;
  /** Whether the output is processed alone where outputs and tools run in parallel. */
  readonly sequential?: boolean | undefined;
}

/** Options of an output that the model gives as JSON text. */
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

const TOOL_OPTIONS: OptionTable<ToolOutputOptions> = {
  ...NATIVE_OPTIONS,
  maxRetries: 'number',
  sequential: 'boolean',
};

/** A value that the model gives by calling an output tool, with options for that tool. */
export function toolOutput<Schema extends StandardSchema>(
  schema: Schema,
  options: ToolOutputOptions = {},
): OutputDeclaration<InferOutput<Schema>> {
  checkOptions('`toolOutput`', options, TOOL_OPTIONS);
  return new OutputDeclaration({ ...options, kind: 'tool', schema });
}

/** A value that the model gives as JSON text, in the provider's own way of structured output. */
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

/** An output that a function makes from what the model gives by calling an output tool. */
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
    ...TOOL_OPTIONS,
    inputSchema: 'value',
    execute: 'function',
  });
  const { inputSchema, execute, ...rest } = options;
  requireFunction('`execute` of `outputFunction`', execute);
  return new OutputDeclaration({ ...rest, kind: 'tool', schema: inputSchema, execute });
}

/** An output that a function makes from the model's text. */
export function textOutput<Value, Deps = unknown>(
  execute: (text: string, ctx: RunContext<Deps>) => Value | Promise<Value>,
): OutputDeclaration<Awaited<Value>, Deps> {
  requireFunction('The function of `textOutput`', execute);
  return new OutputDeclaration({ kind: 'text', execute });
}
