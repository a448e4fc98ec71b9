import {
  Agent,
  type AgentOptions,
  ApprovalRequired,
  CallDeferred,
  DeferredToolRequests,
  type DeferredToolResults,
  ExternalToolset,
  type JsonValue,
  type Message,
  messageCodec,
  type ParkedResult,
  resultsCodec,
  type RunContext,
  type Tool,
  tool,
} from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import { type ScriptEntry, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

/** A way to carry messages and results from one run to the next. */
export interface Way {
  readonly way: string;
  readonly messages: (messages: readonly Message[]) => readonly Message[];
  readonly results: (results: DeferredToolResults) => DeferredToolResults;
}

/** In memory, and as JSON text. For `it.each`. */
export const ways: readonly Way[] = [
  { way: 'as they are', messages: (messages) => messages, results: (results) => results },
  {
    way: 'through JSON',
    messages: (messages) => messageCodec.parse(messageCodec.stringify(messages)),
    results: (results) => resultsCodec.parse(resultsCodec.stringify(results)),
  },
];

/** An execution of a tool. */
interface Effect {
  readonly tool: string;
  readonly path: string;
  readonly approved: boolean;
  readonly metadata: JsonValue | undefined;
}

const input = z.object({ path: z.string(), mode: z.string().default('soft') });

/**
 * Creates tools of every kind, and the list of their effects.
 *
 * `read` executes immediately, `remove` always needs approval, and `move` throws `ApprovalRequired`.
 * `render` throws `CallDeferred` and must not be approved, because it would then execute. `paint` is
 * an external tool.
 */
export function workshop() {
  const effects: Effect[] = [];
  const work = (name: string) => (args: { path: string }, ctx: RunContext) => {
    const { toolCallApproved: approved, toolCallMetadata: metadata } = ctx;
    effects.push({ tool: name, path: args.path, approved, metadata });
    return `${name} ${args.path}: done`;
  };
  const read = tool({ name: 'read', inputSchema: input, execute: work('read') });
  const remove = tool({
    name: 'remove',
    inputSchema: input,
    requiresApproval: true,
    execute: work('remove'),
  });
  const move = tool({
    name: 'move',
    inputSchema: input,
    execute(args, ctx) {
      if (!ctx.toolCallApproved) throw new ApprovalRequired({ reason: 'protected' });
      return work('move')(args, ctx);
    },
  });
  const render = tool({
    name: 'render',
    inputSchema: input,
    execute(args, ctx) {
      if (!ctx.toolCallApproved) throw new CallDeferred({ job: 7 });
      return work('render')(args, ctx);
    },
  });
  const paint = new ExternalToolset([{ name: 'paint' }]);
  const ran = () => effects.map((effect) => `${effect.tool} ${effect.path}`);
  return { effects, ran, work, read, remove, move, render, paint };
}

/** The tools and records of {@link workshop}. */
export type Workshop = ReturnType<typeof workshop>;

const MAY_PARK = [String, DeferredToolRequests] as const;

/** Options of an agent that may park. */
type ParkingOptions = Omit<
  AgentOptions<readonly Tool[], typeof MAY_PARK, unknown, PlainToolsets>,
  'model' | 'output'
>;

/** Creates an agent that may park, with the tools of a workshop by default. */
export function agentIn(
  shop: Workshop,
  script: readonly ScriptEntry[],
  options: ParkingOptions = {},
): Agent<readonly Tool[], typeof MAY_PARK> {
  const { read, remove, move, render, paint } = shop;
  return new Agent<readonly Tool[], typeof MAY_PARK>({
    model: scriptedModel(...script),
    tools: [read, remove, move, render],
    toolsets: [paint],
    output: MAY_PARK,
    ...options,
  });
}

/** Returns the result of a run that must park. */
export async function expectParked(run: Promise<unknown>): Promise<ParkedResult> {
  const result = (await run) as ParkedResult | { readonly status: 'finished' };
  if (result.status !== 'parked') throw new Error('The run did not park.');
  return result;
}
