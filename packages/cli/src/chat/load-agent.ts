import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type Message,
  type OutputSpec,
  type RunOptions,
  type RunStream,
  UserError,
} from 'holdpoint';

/** Options of a run in a conversation; deps are whatever the agent's file says. */
export type ChatOptions = Omit<RunOptions<never, OutputSpec>, 'output'> & {
  readonly deps?: unknown;
  readonly messageHistory: readonly Message[];
};

/** An agent that somebody can talk to. */
export interface ChatAgent {
  readonly name: string | undefined;
  stream(prompt: string | undefined, options: ChatOptions): RunStream;
}

/** An agent, and what its tools need. */
export interface LoadedAgent {
  readonly agent: ChatAgent;
  readonly deps: unknown;
}

/** Finds the agent in a module. */
export async function loadAgent(path: string): Promise<LoadedAgent> {
  const file = resolve(path);
  if (!existsSync(file)) throw new UserError(`There is no file '${path}'.`);
  requireRunnable(path);
  const module: unknown = await import(pathToFileURL(file).href);
  const exported = Object.entries(Object(module)) as [string, unknown][];
  const agents = exported.filter(([, value]) => isAgent(value));
  const named = agents.find(([name]) => name === 'default') ?? agents[0];
  const distinct = new Set(agents.map(([, value]) => value));
  if (named === undefined) {
    throw new UserError(`'${path}' exports no Agent. Add: export default new Agent({ … })`);
  }
  if (named[0] !== 'default' && distinct.size > 1) {
    const names = agents.map(([name]) => name).join(', ');
    throw new UserError(
      `'${path}' exports several agents (${names}). Make one the default export.`,
    );
  }
  const deps = exported.find(([name]) => name === 'deps')?.[1];
  // It has the methods of an agent, and what its deps must be only its author knows.
  const agent = named[1] as ChatAgent;
  return { agent, deps: typeof deps === 'function' ? await deps() : deps };
}

function requireRunnable(path: string): void {
  const isTypeScript = /^\.[cm]?ts$/.test(extname(path));
  if (!isTypeScript || process.features.typescript !== false) return;
  throw new UserError(
    `This Node (${process.version}) does not run TypeScript files such as '${path}'. Use Node 22.18 or ` +
      'later, or compile the file first.',
  );
}

/** By what it can do, not by its class: the file may have another copy of the package. */
function isAgent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['run', 'stream', 'resume', 'asTool'].every(
    (method) => typeof Reflect.get(value, method) === 'function',
  );
}
