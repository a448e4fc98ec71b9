import { Agent, inherit, type Tool, type Toolset } from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import { calls, type ResponseLike } from 'holdpoint/testing';
import { type PlainAgent, reporting } from '../sub-agents.ts';
import type { Delegate } from './observe.ts';

/** The toolsets and scripts of two agents. One delegates to the other. */
interface Team {
  readonly lead: { readonly toolsets: PlainToolsets; readonly does: readonly ResponseLike[] };
  readonly sub: { readonly toolsets: PlainToolsets; readonly does: readonly ResponseLike[] };
}

/** Creates the delegating agent. Both agents finish with the results of their tools. */
export function teamOf(delegate: Delegate, { lead, sub }: Team): PlainAgent {
  const subAgent = new Agent<readonly Tool[]>({
    name: 'sub',
    model: reporting(...sub.does),
    toolsets: sub.toolsets,
  });
  return new Agent<readonly Tool[]>({
    name: 'lead',
    model: reporting(...lead.does),
    tools: [delegate(subAgent)],
    toolsets: lead.toolsets,
  });
}

/** The call with which one agent delegates to the other. */
export const askSub = calls('sub', { prompt: 'Go on.' });

/** The ways in which a toolset provides the instance of the sub-agent. */
export const byToolset: readonly [string, (make: () => Toolset, id: string) => Compositions][] = [
  [
    'the same instance on both agents',
    (make) => {
      const toolset = make();
      return { lead: [toolset], sub: [toolset] };
    },
  ],
  ['a factory, and inherit(id)', (make, id) => ({ lead: [make], sub: [inherit(id)] })],
];

/** The toolsets of the two agents. */
export interface Compositions {
  readonly lead: PlainToolsets;
  readonly sub: PlainToolsets;
}
