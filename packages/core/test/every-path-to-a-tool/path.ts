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

/** The decision about the pending call. */
export type Said = 'nothing' | 'no' | 'yes';

/** A tool whose calls need an approval. */
export interface Guarded {
  readonly tool: Tool;
  /** Returns the number of executions. */
  runs(): number;
  /** The contexts that its callbacks got. */
  readonly contexts: readonly ToolContext[];
  /** Counts an execution of a path that uses its own tool. */
  ran(): void;
}

/** One of {@link GUARDS}. */
export type Guard = (typeof GUARDS)[number];

/** A path that leads a call to a tool. */
export interface Path {
  /** Calls the guarded tool on this path. The promise may reject, and the run may park. */
  take(guarded: Guarded, said: Said): Promise<unknown>;
  /** Guards for which the call cannot be approved and never executes; `true` for all guards. */
  readonly neverRuns?: true | readonly Guard[];
  /** True if the path also blocks a tool that needs no approval. */
  readonly isBlocked?: true;
  /** True if the path uses its own tools and its own guard. */
  readonly hasOwnGuard?: true;
}

/** Ways in which a tool requires approval. */
export const GUARDS = ['always', 'call by call', 'when it is checked', 'when it runs'] as const;

const inputSchema = z.object({ value: z.string() });

/** Creates a tool named `guarded` whose calls need approval in one of these ways, or never. */
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

/** Returns a model call of the guarded tool under the given name. */
export const callTo = (name = 'guarded', id = 'g') => calls(name, { value: 'a' }, { id });

/** Approves or denies all pending calls. */
export function decisionsFor(
  requests: DeferredToolRequests,
  said: 'no' | 'yes',
): DeferredToolResults {
  const results = requests.buildResults({ approveAll: said === 'yes' });
  if (said === 'no') {
    for (const { toolCallId } of requests.approvals) results.approvals[toolCallId] = false;
  }
  return results;
}

/** Returns a handler that approves or denies all calls, or `undefined` without a decision. */
export function handlerFor(said: Said) {
  if (said === 'nothing') return undefined;
  return (requests: DeferredToolRequests) => decisionsFor(requests, said);
}

/** Resumes a parked run once, from its stored messages. */
export async function resumeWith(
  agent: Pick<ProbeAgent, 'resume'>,
  run: Promise<RunResult<string> | ParkedResult>,
  said: Said,
): Promise<void> {
  const result = await run;
  if (result.status === 'finished' || said === 'nothing') return;
  await agent.resume(stored(result.messages), decisionsFor(result.output, said));
}
