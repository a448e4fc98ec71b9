import * as holdpoint from 'holdpoint';
import {
  ModelRetry,
  type RunContext,
  ToolFailed,
  UnexpectedModelBehavior,
  UsageLimitExceeded,
  UserError,
} from 'holdpoint';

/** An observation in the format of the vectors. */
export type Described = Record<string, unknown>;

/** Describes the context that a tool or its validator receives. */
export function describeCallContext(ctx: RunContext): Described {
  return {
    tool_name: ctx.toolName ?? null,
    tool_call_id: ctx.toolCallId ?? null,
    retry: ctx.retry,
    max_retries: ctx.maxRetries,
    last_attempt: ctx.lastAttempt,
    run_step: ctx.runStep,
    tool_call_approved: ctx.toolCallApproved,
    tool_call_metadata: ctx.toolCallMetadata ?? null,
    retries: { ...ctx.retries },
    prompt: ctx.prompt ?? null,
  };
}

/** Describes the context that an output validator receives. */
export function describeOutputContext(ctx: RunContext): Described {
  return {
    retry: ctx.retry,
    max_retries: ctx.maxRetries,
    last_attempt: ctx.lastAttempt,
    run_step: ctx.runStep,
    tool_name: ctx.toolName ?? null,
    partial_output: ctx.partialOutput,
  };
}

/** Describes an error by its class and message. */
export function describeError(error: unknown): Described {
  return {
    type: className(error),
    message: error instanceof Error ? error.message : String(error),
  };
}

const CLASSES = {
  UserError,
  UnexpectedModelBehavior,
  UsageLimitExceeded,
  ModelRetry,
  ToolFailed,
};

/** The classes of errors that have another class in the reference. */
const referenceClasses = new WeakMap<UserError, string>();

/** Records the class that the reference uses for an error, and returns the error. */
export function asReferenceError(name: string, error: unknown): unknown {
  if (error instanceof UserError) referenceClasses.set(error, name);
  return error;
}

/** Returns the class of an error in the vectors. A subclass counts as its base class. */
export function className(error: unknown): string {
  const referenceClass = error instanceof UserError ? referenceClasses.get(error) : undefined;
  if (referenceClass !== undefined) return referenceClass;
  if (!(error instanceof Error)) return typeof error;
  for (const [name, known] of Object.entries(CLASSES)) {
    if (error instanceof known || isNamedAfter(known, error)) return name;
  }
  return error.name;
}

/** Compares by name, because a replayed error keeps nothing else of its class or subclass. */
function isNamedAfter(known: new (message: string) => Error, error: Error): boolean {
  if (error.constructor !== Error) return false;
  const named: unknown = Object.entries(holdpoint).find(([name]) => name === error.name)?.[1];
  return typeof named === 'function' && (named === known || named.prototype instanceof known);
}

/** Creates an error of a class that a scenario names, or a plain error with that name. */
export function errorOf(type: string, message: string): Error {
  const known = Object.entries(CLASSES).find(([name]) => name === type)?.[1];
  return known ? new known(message) : Object.assign(new Error(message), { name: type });
}
