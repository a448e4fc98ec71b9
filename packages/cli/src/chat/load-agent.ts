import {
  type Message,
  type OutputSpec,
  type RunOptions,
  type RunStream,
  UserError,
} from 'holdpoint';
import { hasMethods, loadModule } from '../modules/load-module.ts';

/** Options of a run in a chat, with the `deps` of the agent's file. */
export type ChatOptions = Omit<RunOptions<never, OutputSpec>, 'output'> & {
  readonly deps?: unknown;
  readonly messageHistory: readonly Message[];
};

/** The part of an agent that a chat uses. */
export interface ChatAgent {
  readonly name: string | undefined;
  stream(prompt: string | undefined, options: ChatOptions): RunStream;
}

/** An agent with its dependencies. */
export interface LoadedAgent {
  readonly agent: ChatAgent;
  readonly deps: unknown;
}

const METHODS = ['run', 'stream', 'resume', 'asTool'] as const;

/** Finds the agent in a module. */
export async function loadAgent(path: string): Promise<LoadedAgent> {
  const exported = await loadModule(path);
  const agents = exported.filter(([, value]) => hasMethods(value, METHODS));
  const named = agents.find(([name]) => name === 'default') ?? agents[0];
  const distinct = new Set(agents.map(([, value]) => value));
  if (named === undefined) {
    throw new UserError(`\`${path}\` exports no Agent. Add \`export default new Agent({ … })\`.`);
  }
  if (named[0] !== 'default' && distinct.size > 1) {
    const names = agents.map(([name]) => name).join(', ');
    throw new UserError(
      `\`${path}\` exports several agents (${names}). Make one the default export.`,
    );
  }
  const deps = exported.find(([name]) => name === 'deps')?.[1];
  // Its methods identify it, and only its author knows the type of its deps.
  const agent = named[1] as ChatAgent;
  return { agent, deps: typeof deps === 'function' ? await deps() : deps };
}
