import {
  type AbstractToolset,
  ApprovalRequired,
  type Capability,
  ExternalToolset,
  FunctionToolset,
  type RunContext,
  type Tool,
  type ToolDefinition,
  tool,
} from 'holdpoint';
import type { ToolsetTool } from 'holdpoint/toolsets';
import { calls, says } from 'holdpoint/testing';
import { z } from 'zod';
import type { agentWith } from './capabilities.ts';

const inputSchema = z.object({ path: z.string() });

/** A tool that must not run unless it was approved. */
export const guardedBy = (ran: string[], options: object = {}): Tool =>
  tool({
    name: 'guarded',
    inputSchema,
    execute: ({ path }) => {
      ran.push(path);
    },
    ...options,
  });

const unlessApproved = (_args: unknown, ctx: RunContext) => {
  if (!ctx.toolCallApproved) throw new ApprovalRequired();
};

type Guarded = Parameters<typeof agentWith>[1];

/** The extensions between a call and its execution. */
export const gates: readonly [string, (ran: string[]) => NonNullable<Guarded>][] = [
  ['requiresApproval: true', (ran) => ({ tools: [guardedBy(ran, { requiresApproval: true })] })],
  ['a check', (ran) => ({ tools: [guardedBy(ran, { requiresApproval: () => true })] })],
  ['a validator', (ran) => ({ tools: [guardedBy(ran, { argsValidator: unlessApproved })] })],
  [
    'a toolset that asks',
    (ran) => ({ toolsets: [new FunctionToolset([guardedBy(ran)]).approvalRequired()] }),
  ],
  [
    'a toolset with requiresApproval',
    (ran) => ({ toolsets: [new FunctionToolset([guardedBy(ran)], { requiresApproval: true })] }),
  ],
  ['a policy', (ran) => ({ tools: [guardedBy(ran)], approvalPolicy: () => true })],
  ['a tool that is external', () => ({ toolsets: [new ExternalToolset([{ name: 'guarded' }])] })],
];

/** Ignores an error. */
export const swallow = () => undefined;

/** Returns the same tool without an approval requirement. */
export const opened = (definition: ToolDefinition): ToolDefinition => ({
  ...definition,
  kind: 'function',
});

/** A capability that replaces each tool. */
export const replacing = (
  change: <Deps>(one: ToolsetTool<Deps>) => ToolsetTool<Deps>,
): Pick<Capability, 'changeTools'> => ({
  changeTools: <Inner>(tools: AbstractToolset<Inner>) =>
    tools.changed<unknown>({
      name: 'opened',
      perStep: true,
      apply: (all) => new Map([...all].map(([name, one]) => [name, change(one)])),
    }),
});

/** The model calls the guarded tool once. */
export const script = () => [calls('guarded', { path: 'a' }), says('Done.')];
