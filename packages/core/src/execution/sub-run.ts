import type { CallScope } from '../context/call-scope.ts';
import { Context } from '../context/context.ts';
import type { RunContext } from '../context/run-context.ts';
import { requestsOfAgent } from '../deferred/from-messages.ts';
import { type AgentCall, keyOf, placeBelow, placeOf } from '../deferred/nested-calls.ts';
import type { DeferredToolRequests } from '../deferred/requests.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import type { Message } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { recordOf } from '../messages/step-record.ts';

/** How a call to an agent goes on: with the messages of its parked run, and answers. */
export interface Resumption {
  readonly messages: readonly Message[];
  readonly results: DeferredToolResults;
}

const resumptions = new WeakMap<CallScope, Resumption>();

/** Says how a call to an agent goes on. */
export function resumeWith(scope: CallScope, resumption: Resumption): void {
  resumptions.set(scope, resumption);
}

/** How a call goes on; `undefined` if it starts. */
export function resumptionOf(ctx: RunContext<never>): Resumption | undefined {
  const scope = Context.factsOf(ctx)?.call.scope;
  return scope && resumptions.get(scope);
}

/** Thrown by a call to an agent whose run is parked. The call waits with it. */
export class SubRunParked extends Error {
  override name = 'SubRunParked';
  readonly messages: readonly Message[];

  constructor(messages: readonly Message[], requests: DeferredToolRequests) {
    super('The agent waits for answers.');
    this.messages = messages;
    live.set(messages, requests);
  }
}

/** What runs of this process wait for: it knows the checked arguments, which messages do not. */
const live = new WeakMap<readonly Message[], DeferredToolRequests>();

/** What the agent behind a call waits for. */
export function requestsBelow(
  call: ToolCallPart,
  messages: readonly Message[],
): DeferredToolRequests {
  return live.get(messages) ?? requestsOfAgent(messages, call);
}

/** A call that an agent below waits for, by the step that it is of. */
export interface OpenBelow {
  readonly step: string;
  /** The id under which it is answered. */
  readonly key: string;
}

/** The calls that the agent behind a call waits for, and those of agents below it. */
export function openBelow(call: ToolCallPart, messages: readonly Message[]): readonly OpenBelow[] {
  const requests = requestsBelow(call, messages);
  return Array.from(requests, (pending) => ({
    step: stepOf(messages, pending.path),
    key: keyOf(placeBelow(call, placeOf(pending))),
  }));
}

/** The step that a call waits in: that of the innermost agent. */
function stepOf(messages: readonly Message[], agents: readonly AgentCall[]): string {
  const record = recordOf(messages);
  const [next, ...rest] = agents;
  const open = next && record?.open.get(next.toolCallId);
  return open?.kind === 'agent' ? stepOf(open.messages, rest) : (record?.step ?? '');
}
