import * as holdpoint from 'holdpoint';
import {
  ModelRetry,
  type RunContext,
  ToolFailed,
  UnexpectedModelBehavior,
  UsageLimitExceeded,
  UserError,
} from 'holdpoint';

/** Something that happened, in the words of the vectors. */
export type Described = Record<string, unknown>;

/** What a tool or its validator is told about a call. */
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

/** What an output validator is told. */
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

/** An error by its class and message. */
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

/** What the vectors call an error of ours that the reference has another class for. */
const otherNames = new WeakMap<UserError, string>();

/** Notes that the reference has another class for an error of ours; gives the error back. */
export function knownAs(name: string, error: unknown): unknown {
  if (error instanceof UserError) otherNames.set(error, name);
  return error;
}

/** The class of an error as the vectors know it: a subclass of ours passes for its class. */
export function className(error: unknown): string {
  const otherName = error instanceof UserError ? otherNames.get(error) : undefined;
  if (otherName !== undefined) return otherName;
  if (!(error instanceof Error)) return typeof error;
  for (const [name, known] of Object.entries(CLASSES)) {
    if (error instanceof known || isNamedAfter(known, error)) return name;
  }
  return error.name;
}

/** Whether an error bears the name of a class or of a subclass: all that is left of one that was played back. */
function isNamedAfter(known: new (message: string) => Error, error: Error): boolean {
  if (error.constructor !== Error) return false;
  const named: unknown = Object.entries(holdpoint).find(([name]) => name === error.name)?.[1];
  return typeof named === 'function' && (named === known || named.prototype instanceof known);
}

/** An error of a class that a scenario names: ours, or a plain one that bears the name. */
export function errorOf(type: string, message: string): Error {
  const known = Object.entries(CLASSES).find(([name]) => name === type)?.[1];
  return known ? new known(message) : Object.assign(new Error(message), { name: type });
}
