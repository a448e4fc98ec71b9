import * as fc from 'fast-check';
import {
  Agent,
  ApprovalRequired,
  CallDeferred,
  DeferredToolRequests,
  type DeferredToolResults,
  type RunResult,
  type ParkedResult,
  type RunContext,
  type Tool,
  ToolDenied,
  tool,
} from 'holdpoint';
import type { Environment } from 'holdpoint/agents';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { present } from '../../support/present.ts';

/** The calls of an agent, step by step; after the last step it finishes. */
export type Plan = readonly (readonly PlannedCall[])[];

/** A call to a tool, or to a sub-agent with its own plan. */
export type PlannedCall =
  | { readonly kind: 'run' | 'approve' | 'ask' | 'external' }
  | { readonly kind: 'agent'; readonly plan: Plan; readonly approved: boolean };

const OUTPUT = [String, DeferredToolRequests] as const;

/** An agent that may park. */
export type TreeAgent = Agent<readonly Tool[], typeof OUTPUT>;

/**
 * Creates an agent that follows a plan, with its sub-agents. Its tools record their executions in
 * `effects`.
 */
export function agentOf(plan: Plan, effects: string[], name = 'lead'): TreeAgent {
  const tools: Tool[] = [];
  plan.forEach((step, index) => {
    step.forEach((call, position) =>
      tools.push(toolFor(call, `${name}_${index}_${position}`, effects)),
    );
  });
  const model = functionModel(({ messages }) => {
    const index = messages.filter(({ kind }) => kind === 'response').length;
    const step = plan[index];
    if (step === undefined) return says(`${name} is done.`);
    return responds(
      `Step ${index}.`,
      ...step.map((call, position) =>
        calls(
          `${name}_${index}_${position}`,
          call.kind === 'agent' ? { prompt: 'Go on.' } : {},
          // Some resemble numbers, others need escapes.
          { id: position % 2 === 0 ? `${position}` : `${index}/~${position}` },
        ),
      ),
    );
  });
  return new Agent<readonly Tool[], typeof OUTPUT>({ name, model, tools, output: OUTPUT });
}

function toolFor(call: PlannedCall, name: string, effects: string[]): Tool {
  const work = (ctx: RunContext) => {
    effects.push(`${name} ${ctx.toolCallApproved ? 'approved' : 'not approved'}`);
    return `${name}: done`;
  };
  switch (call.kind) {
    case 'agent':
      return agentOf(call.plan, effects, name).asTool({ requiresApproval: call.approved });
    case 'run':
      return tool({ name, execute: (_args, ctx) => work(ctx) });
    case 'approve':
      return tool({ name, requiresApproval: true, execute: (_args, ctx) => work(ctx) });
    case 'ask':
      return tool({
        name,
        execute(_args, ctx) {
          if (!ctx.toolCallApproved) throw new ApprovalRequired({ requestedBy: name });
          return work(ctx);
        },
      });
    case 'external':
      return tool({
        name,
        execute() {
          throw new CallDeferred({ job: name });
        },
      });
  }
}

/** Decides all pending calls: random approvals, and values for external calls. */
export function decisionsFor(
  requests: DeferredToolRequests,
  approves: (index: number) => boolean,
): DeferredToolResults {
  return requests.buildResults({
    approvals: Object.fromEntries(
      requests.approvals.map(({ toolCallId }, index) => [
        toolCallId,
        approves(index) || new ToolDenied(`No to ${toolCallId}.`),
      ]),
    ),
    calls: Object.fromEntries(requests.calls.map(({ toolCallId }) => [toolCallId, 'from outside'])),
  });
}

/** The end of a run. */
export type Ended = RunResult<string> | ParkedResult;

/** Resumes a run in rounds until it ends. `between` may change the messages between rounds. */
export async function playOut(
  agent: TreeAgent,
  options: {
    readonly approves: (index: number, round: number) => boolean;
    readonly between?: (parked: ParkedResult) => ParkedResult['messages'];
    readonly environment?: Environment;
  },
): Promise<readonly Ended[]> {
  const { approves, between = ({ messages }) => messages, environment } = options;
  const ends: Ended[] = [await agent.run('Go.', { environment })];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const last = present(ends.at(-1));
    if (last.status === 'finished') return ends;
    const results = decisionsFor(last.output, (index) => approves(index, round));
    ends.push(await agent.resume({ messages: between(last) }, results, { environment }));
  }
  throw new Error(`The run was still parked after ${MAX_ROUNDS} rounds.`);
}

const MAX_ROUNDS = 60;

/** Any plan, up to three agents deep. */
export const arbitraryPlan: fc.Arbitrary<Plan> = planWith(2);

function planWith(levels: number): fc.Arbitrary<Plan> {
  const leaf: fc.Arbitrary<PlannedCall> = fc.record({
    kind: fc.constantFrom('run', 'approve', 'ask', 'external'),
  });
  const call =
    levels === 0
      ? leaf
      : fc.oneof(
          { weight: 2, arbitrary: leaf },
          {
            weight: 3,
            arbitrary: fc.record<PlannedCall & { kind: 'agent' }>({
              kind: fc.constant('agent'),
              plan: fc.constant(undefined).chain(() => planWith(levels - 1)),
              approved: fc.boolean(),
            }),
          },
        );
  return fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 });
}
