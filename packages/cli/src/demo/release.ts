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
import type { Sandbox } from './sandbox.ts';
import { texts } from './texts.ts';

const LOG = 'published.txt';

const publish = tool({
  name: 'publish',
  description: 'Publishes a version for everybody. It cannot be taken back.',
  inputSchema: texts('version'),
  requiresApproval: true,
  execute({ version }, ctx: RunContext<Sandbox>) {
    ctx.deps.write(LOG, `${ctx.deps.read(LOG)}${version}\n`);
    return `${version} is published.`;
  },
});

/** Goes by the history alone, so any process can ask it. */
const model = functionModel(({ messages }) => {
  if (!messages.some(({ kind }) => kind === 'response')) {
    return calls('publish', { version: '1.3.0' }, { id: 'p1' });
  }
  const [result] = messages.at(-1)?.parts ?? [];
  const isOut = result?.kind === 'tool-return' && result.outcome === 'success';
  return says(isOut ? 'The new kettle is out.' : 'The new kettle has to wait.');
});

type Output = readonly [StringConstructor, typeof DeferredToolRequests];

/** An agent that publishes, and has somebody approve it. */
export type ReleaseAgent = Agent<readonly Tool<Sandbox>[], Output>;

/** Makes one, with what it should guarantee. */
export function releaseAgent(durability: DurabilityOptions): ReleaseAgent {
  return new Agent<readonly Tool<Sandbox>[], Output>({
    name: 'release-desk',
    model,
    tools: [publish],
    output: [String, DeferredToolRequests],
    durability,
  });
}

/** Runs it up to the question, with nothing published so far. */
export async function park(agent: ReleaseAgent, sandbox: Sandbox): Promise<ParkedResult> {
  sandbox.delete(LOG);
  const parked = await agent.run('Publish 1.3.0.', { deps: sandbox });
  if (parked.status !== 'parked') throw new Error('The run did not park.');
  return parked;
}

/** What has been published, one version for each time. */
export function published(sandbox: Sandbox): readonly string[] {
  return sandbox.read(LOG).split('\n').filter(Boolean);
}

/** Goes on with a history; says what came of it, in a few words. */
export async function resumed(
  agent: ReleaseAgent,
  history: { readonly messages: readonly Message[] },
  results: DeferredToolResults,
  sandbox: Sandbox,
): Promise<string> {
  try {
    const done = await agent.resume(history, results, { deps: sandbox });
    return done.status === 'finished' ? done.output : 'It waits again.';
  } catch (error) {
    const code: unknown = Object(error).code;
    return `refused (${String(code)})`;
  }
}
