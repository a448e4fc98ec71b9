import { type CallState, Context } from '../context/context.ts';
import type { RunContext } from '../context/run-context.ts';
import { requestsFromSubAgent } from './from-messages.ts';
import { type AgentCall, pathKey, nestPath } from './nested-calls.ts';
import type { DeferredToolRequests } from './requests.ts';
import type { DeferredToolResults } from './results.ts';
import type { Message } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { stepRecordOf } from '../messages/step-record.ts';

/** How a call to a parked sub-agent resumes: with the messages of its run, and with results. */
export interface Resumption {
  readonly messages: readonly Message[];
  readonly results: DeferredToolResults;
}

const resumptions = new WeakMap<CallState, Resumption>();

/** Sets how a call to a sub-agent resumes. */
export function resumeWith(scope: CallState, resumption: Resumption): void {
  resumptions.set(scope, resumption);
}

/** Returns how a call resumes; `undefined` if it starts. */
export function resumptionOf(ctx: RunContext<never>): Resumption | undefined {
  const scope = Context.factsOf(ctx)?.call.scope;
  return scope && resumptions.get(scope);
}

/** Thrown by a call to a sub-agent whose run is parked. The call is pending until that run resumes. */
export class SubRunParked extends Error {
  override name = 'SubRunParked';
  readonly messages: readonly Message[];

  constructor(messages: readonly Message[], requests: DeferredToolRequests) {
    super('The run of the sub-agent is parked.');
    this.messages = messages;
    live.set(messages, requests);
  }
}

/** The requests of runs of this process. They have the validated arguments, which messages do not have. */
const live = new WeakMap<readonly Message[], DeferredToolRequests>();

/** Returns the pending calls of the sub-agent that a call runs. */
export function subAgentRequests(
  call: ToolCallPart,
  messages: readonly Message[],
): DeferredToolRequests {
  return live.get(messages) ?? requestsFromSubAgent(messages, call);
}

/** A pending call of a sub-agent, with the name of its step. */
export interface SubAgentPendingCall {
  readonly step: string;
  /** The id under which it is decided. */
  readonly key: string;
}

/** Returns the pending calls of the sub-agent that `call` started, and of the sub-agents nested in it. */
export function subAgentPendingCalls(
  call: ToolCallPart,
  messages: readonly Message[],
): readonly SubAgentPendingCall[] {
  const requests = subAgentRequests(call, messages);
  return Array.from(requests, (pending) => ({
    step: stepOf(messages, pending.path),
    key: pathKey(nestPath(call, pending)),
  }));
}

/** Returns the name of the step in which a call is pending: that of the innermost sub-agent. */
function stepOf(messages: readonly Message[], agents: readonly AgentCall[]): string {
  const record = stepRecordOf(messages);
  const [next, ...rest] = agents;
  const recorded = next && record?.open.get(next.toolCallId);
  return recorded?.kind === 'agent' ? stepOf(recorded.messages, rest) : (record?.step ?? '');
}
