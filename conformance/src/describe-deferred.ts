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

/** What is asked of whoever answers deferred calls. */
export function describeRequests(requests: DeferredToolRequests): Described {
  return {
    calls: requests.calls.map(describeCall),
    approvals: requests.approvals.map(describeCall),
    metadata: { ...requests.metadata },
  };
}

/** What a handler of deferred calls is told. */
export function describeHandlerContext(ctx: RunContext): Described {
  return {
    run_step: ctx.runStep,
    tool_name: ctx.toolName ?? null,
    tool_call_id: ctx.toolCallId ?? null,
    tool_call_approved: ctx.toolCallApproved,
    messages: ctx.messages.filter(hasContent).length,
  };
}

/** Answers to deferred calls, in the forms in which they were given. */
export function describeResults(results: DeferredToolResults): Described {
  return {
    calls: describeAnswers(results.calls),
    approvals: { ...describeAnswers(results.approvals), ...booleansIn(results.approvals) },
    metadata: { ...results.metadata },
  };
}

/** Answers by tool call id; what is none of our classes is a plain value. */
export function describeAnswers(answers: Readonly<Record<string, unknown>>): Described {
  return Object.fromEntries(
    Object.entries(answers).map(([id, answer]) => [id, describeAnswer(answer)]),
  );
}

/** The answers that just say yes or no. */
function booleansIn(answers: Readonly<Record<string, unknown>>): Described {
  return Object.fromEntries(
    Object.entries(answers).filter(([, answer]) => typeof answer === 'boolean'),
  );
}

function describeAnswer(answer: unknown): Described {
  if (answer instanceof ToolApproved) {
    return { approved: true, override_args: answer.overrideArgs ?? null };
  }
  if (answer instanceof ToolDenied) return { denied: true, message: answer.message };
  if (answer instanceof ModelRetry) return { model_retry: answer.message };
  if (answer instanceof ToolFailed) return { tool_failed: answer.message };
  if (answer instanceof ToolReturn) {
    const { returnValue, content, metadata } = answer;
    return {
      tool_return: { value: returnValue, content: content ?? null, metadata: metadata ?? null },
    };
  }
  return isRetryPrompt(answer) ? { retry_prompt: answer.content } : { value: answer };
}

function isRetryPrompt(answer: unknown): answer is { readonly content: unknown } {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'content' in answer &&
    'kind' in answer &&
    answer.kind === 'retry-prompt'
  );
}
