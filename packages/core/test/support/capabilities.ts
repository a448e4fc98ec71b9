import {
  Agent,
  type AgentOptions,
  type Capability,
  DeferredToolRequests,
  type JsonObject,
  type Message,
  type ParkedResult,
  type RunOptions,
  type RunResult,
  type Tool,
} from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import type { CapabilityHooks } from 'holdpoint/capabilities';
import { calls, says, scriptedModel, type ScriptEntry } from 'holdpoint/testing';
import { partsOf } from './conversation.ts';
import { workshop } from './deferral.ts';
import { rejectionOf, settled } from './latch.ts';

const MAY_PARK = [String, DeferredToolRequests] as const;

/** An agent that may park and needs no deps. */
export type ParkingAgent = Agent<readonly Tool[], typeof MAY_PARK>;

type Options = Omit<
  AgentOptions<readonly Tool[], typeof MAY_PARK, unknown, PlainToolsets>,
  'output' | 'capabilities' | 'model'
> & { readonly script?: readonly ScriptEntry[] };

/**
 * Creates an agent with these capabilities that may park. Its model sends `Done.` unless it has a
 * script.
 */
export function agentWith(
  capabilities: readonly Capability[],
  { script = ['Done.'], ...options }: Options = {},
) {
  const model = scriptedModel(...script);
  const agent: ParkingAgent = new Agent<readonly Tool[], typeof MAY_PARK>({
    model,
    capabilities,
    output: MAY_PARK,
    ...options,
  });
  return { model, agent };
}

/** A way to run an agent to its end. */
export interface WayToRun {
  readonly way: string;
  readonly go: (
    agent: ParkingAgent,
    options?: RunOptions<unknown, typeof MAY_PARK>,
  ) => Promise<RunResult<string> | ParkedResult>;
}

/** All ways to run an agent, for `it.each`. */
export const waysToRun: readonly WayToRun[] = [
  { way: 'run', go: (agent, options) => agent.run('Go.', options) },
  { way: 'stream', go: (agent, options) => agent.stream('Go.', options).result },
  {
    way: 'iter',
    async go(agent, options) {
      const run = agent.iter('Go.', options);
      for await (const _ of run);
      if (run.result === undefined) throw new Error('The run gave no result.');
      return run.result;
    },
  },
];

/** Returns a unique name for a capability. */
export function capability(hooks: Omit<Capability, 'name'>): Capability {
  return { name: 'tried', ...hooks };
}

/** A hook around the validation of arguments. */
export type AroundValidation = NonNullable<CapabilityHooks['wrapToolValidation']>;

/** Creates a capability with a hook around the validation of arguments. */
export function validating(wrapToolValidation: AroundValidation): Capability {
  return capability({ wrapToolValidation });
}

/** A capability that adds a folder to the path of each call, except for approved calls. */
export function inFolder(folder: string): Capability {
  return validating(async ({ args }, next, ctx) => {
    await next(ctx.toolCallApproved ? args : { ...args, path: `${folder}/${args['path']}` });
  });
}

/** The script of a model that makes one call with the id `c`, and then sends text. */
export function oneCall(
  toolName: string,
  args: JsonObject | string = { path: 'a' },
): readonly ScriptEntry[] {
  return [calls(toolName, args, { id: 'c' }), says('Done.')];
}

/** Returns the retry prompts that the model received. */
export function retriesIn(messages: readonly Message[]): readonly unknown[] {
  return partsOf(messages).flatMap((part) => (part.kind === 'retry-prompt' ? [part.content] : []));
}

/** Aborts a run while a capability delays its call; returns the error of the run. */
export async function abortedDuring(waiting: Capability, reason: Error): Promise<unknown> {
  const controller = new AbortController();
  const tools = [workshop().read];
  const { agent } = agentWith([waiting], { tools, script: oneCall('read') });

  const running = agent.run('Go.', { signal: controller.signal });
  await settled();
  controller.abort(reason);

  return rejectionOf(running);
}
