import {
  type AcceptedKind,
  acceptedKinds,
  countApproved,
  validateResults,
  requireComplete,
  requireResults,
} from '../../deferred/validate-results.ts';
import { type DeferredToolResults, storeResults } from '../../deferred/results.ts';
import { requestsFromSubAgent } from '../../deferred/from-messages.ts';
import { RequestsBuilder } from '../../deferred/requests-builder.ts';
import { Context } from '../../context/context.ts';
import { quoteCalls, UserError } from '../../errors/user-errors.ts';
import type { Message } from '../../messages/message.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import type { DeferredCallRecord } from '../../messages/step-record.ts';
import { findSubAgent, isAgentTool } from '../../tools/agent-tools.ts';
import { checkBeforeToolCalls } from '../../usage/usage.ts';
import { validateApprovalRequests, claimResumption } from './approval-integrity.ts';
import { type ParkedStep, readParkedStep, readRecordedStep } from './parked-step.ts';
import type { Run } from '../run.ts';

/** A parked step with the decisions and results for it, all of them valid. */
interface ValidResume {
  readonly step: ParkedStep;
  /** A frozen copy. */
  readonly results: DeferredToolResults;
}

/**
 * Validates a resume completely before the first call executes: all decisions and results are valid, or the run fails
 * without an effect.
 */
export async function validateResume(run: Run, given: DeferredToolResults): Promise<ValidResume> {
  requireResults(given);
  const step = readParkedStep(run, given);
  if (run.toolset.changesPerStep) await run.toolset.enterStep();
  await run.prepareTools(new Context<never>(run));
  const kinds = acceptedKindsOf(run, step);
  validateResults(given, kinds);
  // The delegating run has validated the whole: a sub-agent may get only some of the decisions.
  if (run.setup.delegation === undefined) requireComplete(given, kinds.keys());
  if (run.limits !== undefined) checkBeforeToolCalls(run.limits, run.usage, countApproved(given));
  const results = storeResults(given);
  await validateApprovalRequests(run, step, results);
  if (run.claims !== undefined)
    await run.cancellation.guard(claimResumption(run, step, run.claims));
  return { step, results };
}

/** Returns the kind that each pending call accepts, by id: calls of the run, and those of parked sub-agents. */
function acceptedKindsOf(run: Run, step: ParkedStep): ReadonlyMap<string, AcceptedKind> {
  const kinds = new Map<string, AcceptedKind>();
  let nested: RequestsBuilder | undefined;
  for (const call of step.pending) {
    const recorded = step.record?.open.get(call.toolCallId);
    if (recorded?.kind === 'agent') {
      requireSubAgents(requireSubAgent(run, call), recorded.messages);
      nested ??= new RequestsBuilder({ name: step.record?.step ?? '' });
      nested.addNested(call, requestsFromSubAgent(recorded.messages, call));
    } else {
      kinds.set(call.toolCallId, acceptedKindOf(run, recorded, call));
    }
  }
  if (nested === undefined) return kinds;
  for (const [id, kind] of acceptedKinds(nested.build())) {
    if (kinds.has(id)) {
      throw new UserError(
        `Two pending calls share the id \`${id}\`, so a decision would be ambiguous. Start a new run.`,
      );
    }
    kinds.set(id, kind);
  }
  return kinds;
}

/** Returns the kind of decision or result that a pending call accepts, from its record or from its tool. */
function acceptedKindOf(
  run: Run,
  recorded: DeferredCallRecord | undefined,
  call: ToolCallPart,
): AcceptedKind {
  // A call in doubt also accepts a result, in case it did execute.
  if (recorded?.details?.question !== undefined) return recorded.details.question;
  if (recorded?.kind === 'approval') return recorded.details?.inDoubt ? 'either' : 'approval';
  if (recorded?.kind === 'external') return 'external';
  const kind = run.tools.get(call.toolName)?.definition.kind;
  if (kind === 'external') return 'external';
  return kind === 'unapproved' ? 'approval' : 'either';
}

/** Returns the sub-agent that the tool of a call executes. The tools of the run name it, never the history. */
function requireSubAgent(run: Run, call: ToolCallPart): object {
  const tool = run.tools.get(call.toolName);
  if (tool !== undefined && isAgentTool(tool.executor)) return tool.executor;
  throw noSubAgent(call);
}

/**
 * Throws if a sub-agent lacks the nested sub-agent in which its history is parked. It validates
 * only sub-agents whose tools are already known.
 */
function requireSubAgents(executor: object, messages: readonly Message[]): void {
  const step = readRecordedStep(messages);
  if (step === undefined) return;
  for (const call of step.calls) {
    const recorded = step.record?.open.get(call.toolCallId);
    if (recorded?.kind !== 'agent') continue;
    const nested = findSubAgent(executor, call.toolName);
    if (nested === 'none') throw noSubAgent(call);
    if (nested !== undefined) requireSubAgents(nested, recorded.messages);
  }
}

function noSubAgent(call: ToolCallPart): UserError {
  return new UserError(
    `The history is parked in the sub-agent of ${quoteCalls([call])}, but the tool \`${call.toolName}\` of this agent ` +
      'was not made with `asTool()`. Resume the run with the agent that parked it.',
  );
}
