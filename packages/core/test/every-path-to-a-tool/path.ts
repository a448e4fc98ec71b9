import {
  ApprovalRequired,
  type DeferredToolRequests,
  type DeferredToolResults,
  type ParkedResult,
  type RunResult,
  type Tool,
  type ToolContext,
  tool,
} from 'holdpoint';
import { calls } from 'holdpoint/testing';
import { z } from 'zod';
import { type ProbeAgent, stored } from '../guarantees/examples/probe.ts';

/** What is said to a call that waits: nothing, no, or yes. */
export type Said = 'nothing' | 'no' | 'yes';

/** A tool that must not run before somebody has approved the call. */
export interface Guarded {
  readonly tool: Tool;
  /** How often it has run. */
  runs(): number;
  /** The contexts that its callbacks got. */
  readonly contexts: readonly ToolContext[];
  /** What a path notes that has no use for the tool and runs something of its own. */
  ran(): void;
}

/** One of {@link GUARDS}. */
export type Guard = (typeof GUARDS)[number];

/** A way that a call can take to a tool. */
export interface Path {
  /** Has the guarded tool called this way; it may fail and it may park. */
  take(guarded: Guarded, said: Said): Promise<unknown>;
  /** Whether nobody can approve the call, so that it never runs: with every guard, or with these. */
  readonly neverRuns?: true | readonly Guard[];
  /** Whether the path does not lead to a tool that needs no approval either. */
  readonly isBlocked?: true;
  /** Whether the path has tools of its own, and a guard that belongs to it. */
  readonly hasOwnGuard?: true;
}

/** The ways in which a tool of ours can have its calls approved. */
export const GUARDS = ['always', 'call by call', 'when it is checked', 'when it runs'] as const;

const inputSchema = z.object({ value: z.string() });

/** A tool named `guarded` whose calls need approval in one of these ways, or not at all. */
export function guardedTool(guard: Guard | 'not at all'): Guarded {
  let runs = 0;
  const contexts: ToolContext[] = [];
  const asks = (approved: boolean) => {
    if (!approved) throw new ApprovalRequired();
  };
  const made: Tool = tool({
    name: 'guarded',
    description: 'Does something that matters.',
    inputSchema,
    requiresApproval: guard === 'always' || (guard === 'call by call' && (() => true)),
    argsValidator: (_args, ctx) => {
      contexts.push(ctx);
      if (guard === 'when it is checked') asks(ctx.toolCallApproved);
    },
    execute(_args, ctx) {
      contexts.push(ctx);
      if (guard === 'when it runs') asks(ctx.toolCallApproved);
      runs += 1;
      return 'It is done.';
    },
  });
  return { tool: made, contexts, runs: () => runs, ran: () => void (runs += 1) };
}

/** The model calls the guarded tool, by whatever name it has. */
export const callTo = (name = 'guarded', id = 'g') => calls(name, { value: 'a' }, { id });

/** Answers to all that waits. */
export function answersTo(requests: DeferredToolRequests, said: 'no' | 'yes'): DeferredToolResults {
  const results = requests.buildResults({ approveAll: said === 'yes' });
  if (said === 'no') {
    for (const { toolCallId } of requests.approvals) results.approvals[toolCallId] = false;
  }
  return results;
}

/** A handler that says the same to everything; none where nobody says anything. */
export function handlerFor(said: Said) {
  if (said === 'nothing') return undefined;
  return (requests: DeferredToolRequests) => answersTo(requests, said);
}

/** Answers a run that has parked, in another process, once. */
export async function answered(
  agent: Pick<ProbeAgent, 'resume'>,
  run: Promise<RunResult<string> | ParkedResult>,
  said: Said,
): Promise<void> {
  const result = await run;
  if (result.status === 'finished' || said === 'nothing') return;
  await agent.resume(stored(result.messages), answersTo(result.output, said));
}
