import {
  type ApprovalDecision,
  type ExternalResult,
  type DeferredToolRequests,
  DeferredToolResults,
  type JsonObject,
  ModelRetry,
  ToolApproved,
  ToolDenied,
  ToolFailed,
  ToolReturn,
} from 'holdpoint';
import { asReferenceError } from './describe.ts';
import type { ApprovalSpec, CallResultSpec, ResultsSpec } from './scenario.ts';

/** Converts the decisions and results of a scenario, by tool call id. */
export function toResults(spec: ResultsSpec): DeferredToolResults {
  return new DeferredToolResults(toDecisionsAndResults(spec));
}

/** Converts decisions and results under the keys that the scenario uses. */
function toDecisionsAndResults(spec: ResultsSpec): {
  readonly approvals: Record<string, ApprovalDecision>;
  readonly calls: Record<string, ExternalResult>;
  readonly metadata: Readonly<Record<string, JsonObject>>;
} {
  return {
    approvals: mapValues(spec.approvals ?? {}, toApproval),
    calls: mapValues(spec.calls ?? {}, toCallResult),
    metadata: spec.metadata ?? {},
  };
}

/** Builds results for requests. The reference throws a `ValueError` if they do not match. */
export function buildResults(
  requests: DeferredToolRequests,
  spec: ResultsSpec & { readonly approve_all?: boolean | null },
): DeferredToolResults {
  try {
    const approveAll = spec.approve_all ?? false;
    return requests.buildResults({ ...toDecisionsAndResults(spec), approveAll });
  } catch (error) {
    throw asReferenceError('ValueError', error);
  }
}

function toApproval(spec: ApprovalSpec): ApprovalDecision {
  if (typeof spec === 'boolean') return spec;
  return 'approved' in spec
    ? new ToolApproved({ overrideArgs: spec.override_args ?? undefined })
    : new ToolDenied(spec.message ?? undefined);
}

function toCallResult(spec: CallResultSpec): ExternalResult {
  if ('value' in spec) return spec.value;
  if ('model_retry' in spec) return new ModelRetry(spec.model_retry);
  if ('tool_failed' in spec) return new ToolFailed(spec.tool_failed);
  if ('retry_prompt' in spec) return { kind: 'retry-prompt', content: spec.retry_prompt };
  const { value, content, metadata } = spec.tool_return;
  return new ToolReturn({
    returnValue: value,
    content: content ?? undefined,
    metadata: metadata ?? undefined,
  });
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
