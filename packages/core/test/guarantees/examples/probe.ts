import {
  Agent,
  type AgentOptions,
  DeferredToolRequests,
  type SharedOptions,
  MemoryLedger,
  type Message,
  messageCodec,
  type ResumeOptions,
  type Tool,
  tool,
  type ToolOptions,
} from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import type { ResponseLike } from 'holdpoint/testing';
import { z } from 'zod';
import { present } from '../../support/present.ts';
import { following } from '../../support/sub-agents.ts';

const MAY_PARK = [String, DeferredToolRequests] as const;

/** An agent that may park and needs nothing of the application. */
export type ProbeAgent = Agent<readonly Tool[], typeof MAY_PARK>;

/** The arguments with which a run of such an agent is resumed. */
export type ProbeResume = ResumeOptions<unknown, typeof MAY_PARK>;

type ProbeOptions = Omit<
  AgentOptions<readonly Tool[], typeof MAY_PARK, unknown, PlainToolsets>,
  'model' | 'output'
>;

/**
 * Creates an agent that may park. Its model depends only on the history, so one agent represents
 * any number of processes with the same code.
 */
export function probeAgent(script: readonly ResponseLike[], options: ProbeOptions): ProbeAgent {
  return new Agent<readonly Tool[], typeof MAY_PARK>({
    model: following(...script),
    output: MAY_PARK,
    ...options,
  });
}

const path = z.object({ path: z.string() });

/** Overrides for a tool of {@link files}. */
type FileTool = Partial<Omit<ToolOptions<unknown, typeof path>, 'inputSchema'>>;

/**
 * Creates tools for files. `delete_file` needs approval, `read_file` does not. `done` lists their
 * executions in order.
 */
export function files(deleting: FileTool = {}) {
  const done: string[] = [];
  const deleteFile = tool({
    name: 'delete_file',
    inputSchema: path,
    requiresApproval: true,
    execute(args) {
      done.push(`deleted ${args.path}`);
      return `${args.path} is gone`;
    },
    ...deleting,
  });
  const readFile = tool({
    name: 'read_file',
    inputSchema: path,
    execute(args) {
      done.push(`read ${args.path}`);
      return `what is in ${args.path}`;
    },
  });
  return { done, deleteFile, readFile, tools: [deleteFile, readFile] as readonly Tool[] };
}

/** Run options that provide the same protection. For `it.each`. */
export interface Guard {
  readonly guard: string;
  readonly options: () => SharedOptions;
}

export const unguarded: Guard = { guard: 'without a ledger', options: () => ({}) };
export const withDigests: Guard = {
  guard: 'with digests',
  options: () => ({ durability: { digests: true } }),
};
export const withLedger: Guard = {
  guard: 'with a ledger',
  options: () => ({ durability: { ledger: new MemoryLedger() } }),
};

/** Returns messages as another process reads them. */
export function stored(messages: readonly Message[]): { messages: readonly Message[] } {
  return { messages: messageCodec.parse(messageCodec.stringify(messages)) };
}

/** A stored message, as code that writes the database can change it. */
export interface StoredMessage {
  parts: { toolName: string; toolCallId: string; args: unknown; kind: string }[];
  timestamp?: string;
  metadata: {
    holdpoint: {
      step: string;
      round?: number;
      open: Record<string, { kind: string; messages?: StoredMessage[]; details?: StoredDetails }>;
    };
  };
}

interface StoredDetails {
  digest?: string;
  preview?: unknown;
  schemaHash?: string;
  version?: string;
}

/** Returns the messages after a change to the last stored one. */
export function tampered(
  messages: readonly Message[],
  change: (last: StoredMessage) => void,
): { messages: readonly Message[] } {
  const document = JSON.parse(messageCodec.stringify(messages)) as { messages: StoredMessage[] };
  change(present(document.messages.at(-1)));
  return { messages: messageCodec.fromJSON(document) };
}

/** Returns the history of a run whose process died just before the calls of the model executed. */
export async function historyBeforeCalls(agent: ProbeAgent): Promise<readonly Message[]> {
  const run = agent.iter('Go.');
  for await (const step of run) {
    if (step.kind === 'call-tools') return stored(run.messages).messages;
  }
  throw new Error('The model made no calls.');
}

/** Settles promises; returns the value or the error code of each. */
export async function outcomesOf(
  work: readonly Promise<{ readonly status: string }>[],
): Promise<readonly string[]> {
  const settled = await Promise.allSettled(work);
  return settled.map((one) =>
    one.status === 'fulfilled' ? one.value.status : String(one.reason.code ?? one.reason),
  );
}
