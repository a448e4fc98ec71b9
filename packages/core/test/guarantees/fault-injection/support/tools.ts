import {
  ApprovalRequired,
  CallDeferred,
  ExternalToolset,
  ModelRetry,
  type RunContext,
  type Tool,
  ToolFailed,
  type Toolset,
  tool,
} from 'holdpoint';
import { z } from 'zod';
import { present } from '../../../support/present.ts';
import type { Journal } from './journal.ts';
import type { ToolPlan, Work } from './plans.ts';
import { PlannedError } from './stage.ts';

/** Arguments of every tool: the label of the call, and the value that approvals cover. */
const input = z.object({ call: z.string(), value: z.number() });

type Input = z.infer<typeof input>;

/** The journal and the gates of the tools of one run. */
export interface Bench {
  readonly journal: Journal;
  /** Id of the run. */
  readonly run: number;
  /** True if calls without an approval never fail. */
  readonly isQuiet: boolean;
  /** Waits for the turn of the tool. */
  readonly wait: (label: 'tool' | 'hang') => Promise<void>;
}

/** Returns the name of a tool by its index. */
export function toolName(index: number): string {
  return `tool_${index}`;
}

/** Creates the tools of a plan for one run. Each records its executions in the journal. */
export function makeTools({ tools }: Work, bench: Bench): { tools: Tool[]; toolsets: Toolset[] } {
  const named = tools.map((plan, index) => ({ plan, name: toolName(index) }));
  const external = named.filter(({ plan }) => plan.asks === 'external');
  return {
    tools: named
      .filter(({ plan }) => plan.asks !== 'external')
      .map(({ plan, name }) => makeTool(name, plan, bench)),
    toolsets: [new ExternalToolset(external.map(({ name }) => ({ name })))],
  };
}

function makeTool(name: string, plan: ToolPlan, bench: Bench): Tool {
  const { asks, once, sequential, onInDoubt, timeout } = plan;
  return tool({
    name,
    inputSchema: input,
    once,
    sequential,
    onInDoubt,
    timeout,
    // The cases are not about the retry limit.
    maxRetries: 100,
    requiresApproval: asks === 'odd' ? ({ value }) => value % 2 === 1 : asks === 'always',
    ...(plan.preview && { preview: ({ value }: Input) => previewOf(value) }),
    execute(args, ctx) {
      askFirst(plan, args, ctx, bench.journal);
      return work(args, ctx, bench);
    },
  });
}

/** Returns the preview for a value. */
export function previewOf(value: unknown): string {
  return `It will be ${value}.`;
}

/** Throws ApprovalRequired or CallDeferred as planned. */
function askFirst({ asks }: ToolPlan, { call }: Input, ctx: RunContext, journal: Journal): void {
  if (asks === 'elsewhere' && !ctx.toolCallApproved) throw new CallDeferred();
  if (asks === 'raised' && !ctx.toolCallApproved) throw new ApprovalRequired({ call });
  if (asks !== 'twice') return;
  if (!ctx.toolCallApproved) throw new ApprovalRequired({ call });
  if (journal.raise(call) === 1) throw new ApprovalRequired({ call, again: true });
}

async function work({ call, value }: Input, ctx: RunContext, bench: Bench): Promise<string> {
  const { journal, wait, run, isQuiet } = bench;
  const { plan } = present(journal.calls.get(call));
  const before = journal.of(call).length;
  const { toolCallApproved: approved, idempotencyKey } = ctx;
  const execution = journal.begin({ label: call, value, run, approved, idempotencyKey });
  for (let waits = 0; waits < plan.awaits; waits++) await wait('tool');
  const isTroubled = (approved || !isQuiet) && before < plan.times;
  if (isTroubled && plan.does === 'hangs') await wait('hang');
  if (isTroubled && plan.does === 'throws') throw new PlannedError(`${call} broke`);
  const said = journal.over(execution);
  if (plan.does === 'retries') throw new ModelRetry(said);
  if (plan.does === 'fails') throw new ToolFailed(said);
  return said;
}
