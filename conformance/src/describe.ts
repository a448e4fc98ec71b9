import {
  ModelRetry,
  type RunContext,
  ToolFailed,
  UnexpectedModelBehavior,
  UsageLimitExceeded,
  UserError,
} from 'holdpoint';
import { Produced } from './schemas.ts';

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

/** What a run gave. */
export function describeOutput(output: unknown): Described {
  if (typeof output === 'string') return { kind: 'text', value: output };
  if (output === undefined || output === null) {
    return { kind: 'structured', value: null, type: 'NoneType' };
  }
  if (output instanceof Produced) {
    return { kind: 'structured', value: output.value, type: output.type };
  }
  return { kind: 'unknown', value: output };
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

/** The class of an error as the vectors know it: a subclass of ours passes for its class. */
export function className(error: unknown): string {
  for (const [name, known] of Object.entries(CLASSES)) if (error instanceof known) return name;
  return error instanceof Error ? error.name : typeof error;
}

/** An error of a class that a scenario names: ours, or a plain one that bears the name. */
export function errorOf(type: string, message: string): Error {
  const known = Object.entries(CLASSES).find(([name]) => name === type)?.[1];
  return known ? new known(message) : Object.assign(new Error(message), { name: type });
}
