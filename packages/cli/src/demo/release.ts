import {
  Agent,
  DeferredToolRequests,
  type DeferredToolResults,
  type DurabilityOptions,
  type Message,
  type ParkedResult,
  type RunContext,
  type Tool,
  tool,
} from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { texts } from './fields.ts';
import type { Sandbox } from './sandbox.ts';

const LOG = 'published.txt';

const publish = tool({
  name: 'publish',
  description: 'Publish a version. This cannot be undone.',
  inputSchema: texts('version'),
  requiresApproval: true,
  execute({ version }, ctx: RunContext<Sandbox>) {
    ctx.deps.write(LOG, `${ctx.deps.read(LOG)}${version}\n`);
    return `Published ${version}.`;
  },
});

/** Depends on the history alone, so that any process can resume the run. */
const model = functionModel(({ messages }) => {
  if (!messages.some(({ kind }) => kind === 'response')) {
    return calls('publish', { version: '1.3.0' }, { id: 'p1' });
  }
  const [result] = messages.at(-1)?.parts ?? [];
  const isPublished = result?.kind === 'tool-return' && result.outcome === 'success';
  return says(isPublished ? 'Version 1.3.0 is published.' : 'Version 1.3.0 is not published.');
});

type Output = readonly [StringConstructor, typeof DeferredToolRequests];

/** An agent that publishes with approval. */
export type ReleaseAgent = Agent<readonly Tool<Sandbox>[], Output>;

/** Creates the agent. */
export function releaseAgent(durability: DurabilityOptions): ReleaseAgent {
  return new Agent<readonly Tool<Sandbox>[], Output>({
    name: 'release-desk',
    model,
    tools: [publish],
    output: [String, DeferredToolRequests],
    durability,
  });
}

/** Runs the agent until it parks, with an empty log. */
export async function park(agent: ReleaseAgent, sandbox: Sandbox): Promise<ParkedResult> {
  sandbox.delete(LOG);
  const parked = await agent.run('Publish 1.3.0.', { deps: sandbox });
  if (parked.status !== 'parked') throw new Error('The run did not park.');
  return parked;
}

/** Returns the published versions, one for each execution. */
export function published(sandbox: Sandbox): readonly string[] {
  return sandbox.read(LOG).split('\n').filter(Boolean);
}

/** Resumes a run; returns its output or the code of its error. */
export async function resumed(
  agent: ReleaseAgent,
  history: { readonly messages: readonly Message[] },
  results: DeferredToolResults,
  sandbox: Sandbox,
): Promise<string> {
  try {
    const result = await agent.resume(history, results, { deps: sandbox });
    return result.status === 'finished' ? result.output : 'The run is parked again.';
  } catch (error) {
    return `rejected (${String(Object(error).code)})`;
  }
}
