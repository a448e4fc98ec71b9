import {
  type DeferredToolRequests,
  type DeferredToolResults,
  ModelRetry,
  type RunContext,
  ToolApproved,
  ToolDenied,
  ToolFailed,
  ToolReturn,
} from 'holdpoint';
import { describeCall, hasContent } from './describe-message.ts';
import type { Described } from './describe.ts';

/** Describes the requests that approvers and handlers receive. */
export function describeRequests(requests: DeferredToolRequests): Described {
  return {
    calls: requests.calls.map(describeCall),
    approvals: requests.approvals.map(describeCall),
    metadata: { ...requests.metadata },
  };
}

/** Describes the context that a handler of deferred calls receives. */
export function describeHandlerContext(ctx: RunContext): Described {
  return {
    run_step: ctx.runStep,
    tool_name: ctx.toolName ?? null,
    tool_call_id: ctx.toolCallId ?? null,
    tool_call_approved: ctx.toolCallApproved,
    messages: ctx.messages.filter(hasContent).length,
  };
}

/** Describes decisions and results in the forms in which they were passed. */
export function describeResults(results: DeferredToolResults): Described {
  return {
    calls: describeEach(results.calls),
    approvals: { ...describeEach(results.approvals), ...booleansIn(results.approvals) },
    metadata: { ...results.metadata },
  };
}

/** Describes decisions or results by tool call id. Instances of no known class are plain values. */
export function describeEach(values: Readonly<Record<string, unknown>>): Described {
  return Object.fromEntries(Object.entries(values).map(([id, value]) => [id, describeOne(value)]));
}

/** Returns the decisions that are plain booleans. */
function booleansIn(decisions: Readonly<Record<string, unknown>>): Described {
  return Object.fromEntries(
    Object.entries(decisions).filter(([, decision]) => typeof decision === 'boolean'),
  );
}

function describeOne(given: unknown): Described {
  if (given instanceof ToolApproved) {
    return { approved: true, override_args: given.overrideArgs ?? null };
  }
  if (given instanceof ToolDenied) return { denied: true, message: given.message };
  if (given instanceof ModelRetry) return { model_retry: given.message };
  if (given instanceof ToolFailed) return { tool_failed: given.message };
  if (given instanceof ToolReturn) {
    const { returnValue, content, metadata } = given;
    return {
      tool_return: { value: returnValue, content: content ?? null, metadata: metadata ?? null },
    };
  }
  return isRetryPrompt(given) ? { retry_prompt: given.content } : { value: given };
}

function isRetryPrompt(given: unknown): given is { readonly content: unknown } {
  return (
    typeof given === 'object' &&
    given !== null &&
    'content' in given &&
    'kind' in given &&
    given.kind === 'retry-prompt'
  );
}
