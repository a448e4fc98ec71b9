import { isThrown, messageOf } from '../errors/thrown.ts';
import { compose } from '../capabilities/hook-set.ts';
import { Context } from '../context/context.ts';
import type { RunContext } from '../context/run-context.ts';
import { deepFreeze, type JsonValue } from '../internal/json.ts';
import type { ValidationIssue } from '../messages/request-part.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { OutputTool, TextOutput, WrappedSchema } from '../output/output-plan.ts';
import { type SchemaValidation, checkValue } from '../tools/input-schema.ts';
import { ModelRetry, toSignal } from '../tools/signals.ts';
import type { RetryOutcome } from '../outcomes/outcome.ts';
import { parseLeniently } from '../tools/parse-args.ts';
import type { ExecutionScope } from './scope.ts';

/** Validates a finished output. Returns it, possibly changed, or throws `ModelRetry`. */
export type OutputValidator<in Deps, Output> = (
  output: Output,
  ctx: RunContext<Deps>,
) => Output | Promise<Output>;

/** The parts of a run that making its output needs. */
export interface OutputScope extends ExecutionScope {
  readonly outputValidators: readonly OutputValidator<never, unknown>[];
}

/** The outcome of an output: it ends the run, or the model has to try again. */
export type OutputOutcome = { readonly kind: 'output'; readonly output: unknown } | RetryOutcome;

/** Validates the arguments of an output tool. */
export async function checkToolOutput(
  tool: OutputTool,
  call: ToolCallPart,
): Promise<SchemaValidation<unknown>> {
  const parsed = parseLeniently(call.args);
  return parsed.ok ? checkWrapped(tool.check, parsed.value) : parsed;
}

/** Makes the output from the validated arguments of an output tool. Errors of functions are thrown. */
export function finishToolOutput(
  scope: OutputScope,
  tool: OutputTool,
  call: ToolCallPart,
  value: unknown,
): Promise<OutputOutcome> {
  const { toolName, toolCallId } = call;
  return runOutputFunctions(scope, value, tool.execute, {
    toolName,
    toolCallId,
    retry: scope.counter.of(toolName),
    maxRetries: tool.maxRetries ?? scope.outputRetries,
  });
}

/**
 * Returns whether the text of a response is the output itself, without parsing, functions or
 * validators.
 */
export function isPlainText(scope: OutputScope, { native, execute }: TextOutput): boolean {
  return (
    native === undefined &&
    execute === undefined &&
    scope.outputValidators.length === 0 &&
    scope.hooks.wrapOutput === undefined
  );
}

/** Processes the text of a response. Errors of functions are thrown. */
export async function processTextOutput(
  scope: OutputScope,
  output: TextOutput,
  text: string,
): Promise<OutputOutcome> {
  const checked = output.native ? await checkNative(output.native, text) : undefined;
  if (checked?.ok === false) return { kind: 'retry', content: checked.issues };
  const value = checked === undefined ? text : checked.value;
  // Text output functions take text; native outputs have none.
  const execute = output.execute as OutputTool['execute'];
  return runOutputFunctions(scope, value, execute, {
    retry: scope.outputRetriesUsed,
    maxRetries: scope.outputRetries,
  });
}

/** Processes a response without an output, which is valid. Errors of functions are thrown. */
export function processNoOutput(scope: OutputScope): Promise<OutputOutcome> {
  return runOutputFunctions(scope, null, undefined, {
    retry: scope.outputRetriesUsed,
    maxRetries: scope.outputRetries,
  });
}

/** Validates the JSON in a text output. */
async function checkNative(
  native: NonNullable<TextOutput['native']>,
  text: string,
): Promise<SchemaValidation<unknown>> {
  const parsed = parseLeniently(text);
  return parsed.ok ? checkWrapped(native.check, parsed.value) : parsed;
}

async function checkWrapped(
  wrapped: WrappedSchema,
  value: JsonValue,
): Promise<SchemaValidation<unknown>> {
  if (wrapped.outerKey === undefined) return checkValue(wrapped.schema, value);
  // `parseLeniently` returns objects only.
  const object = value as Readonly<Record<string, JsonValue>>;
  if (!Object.hasOwn(object, wrapped.outerKey)) {
    return { ok: false, issues: [missingField(wrapped.outerKey)] };
  }
  return checkValue(wrapped.schema, object[wrapped.outerKey]);
}

function missingField(key: string): ValidationIssue {
  return Object.freeze({ path: Object.freeze([key]), message: 'This field is required.' });
}

interface Attempt {
  readonly toolName?: string;
  readonly toolCallId?: string;
  readonly retry: number;
  readonly maxRetries: number;
  readonly partialOutput?: boolean;
}

async function makeOutput(
  scope: OutputScope,
  value: unknown,
  execute: OutputTool['execute'],
  attempt: Attempt,
): Promise<unknown> {
  let output = value;
  if (execute !== undefined) {
    // The value has passed the function's schema; its deps are part of the agent's.
    const input = deepFreeze(value) as never;
    output = await scope.cancellation.guard(execute(input, new Context(scope, attempt)));
  }
  if (scope.outputValidators.length > 0) {
    const ctx = new Context(scope, {
      ...attempt,
      retry: scope.outputRetriesUsed,
      maxRetries: scope.outputRetries,
    });
    for (const validate of scope.outputValidators) {
      output = await scope.cancellation.guard(validate(output, ctx));
    }
  }
  return output;
}

/** Passes a validated value through the hooks, the output function and the validators. */
export async function runOutputFunctions(
  scope: OutputScope,
  value: unknown,
  execute: OutputTool['execute'],
  attempt: Attempt,
): Promise<OutputOutcome> {
  const hooks = scope.hooks.wrapOutput;
  if (hooks === undefined && execute === undefined && scope.outputValidators.length === 0) {
    return { kind: 'output', output: value };
  }
  try {
    if (hooks === undefined) {
      return { kind: 'output', output: await makeOutput(scope, value, execute, attempt) };
    }
    const ctx = new Context<never>(scope, attempt);
    const making = compose(
      hooks,
      value,
      async (hook, given, next) => hook(given, next, ctx),
      (given) => makeOutput(scope, given, execute, attempt),
    );
    return { kind: 'output', output: await scope.cancellation.guard(making) };
  } catch (raw) {
    const thrown = toSignal(raw);
    // A partial output may be too incomplete for a function, which is not an error.
    const forgiven = isThrown(thrown, ModelRetry) || attempt.partialOutput;
    if (!forgiven) throw thrown;
    const content = messageOf(thrown);
    return isThrown(thrown, Error)
      ? { kind: 'retry', content, cause: thrown }
      : { kind: 'retry', content };
  }
}
