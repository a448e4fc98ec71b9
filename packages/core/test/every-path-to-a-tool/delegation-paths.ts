import { Agent, FunctionToolset, inherit, type RunContext, type Tool, tool } from 'holdpoint';
import { calls } from 'holdpoint/testing';
import { z } from 'zod';
import { probeAgent } from '../guarantees/examples/probe.ts';
import { following } from '../support/sub-agents.ts';
import { resumeWith, callTo, handlerFor, type Path } from './path.ts';

const handOver = calls('sub', { prompt: 'Go.' }, { id: 's' });

/** Creates a sub-agent that calls the guarded tool. */
const subAgent = (guarded: Tool) =>
  new Agent<readonly Tool[]>({ name: 'sub', model: following(callTo()), tools: [guarded] });

const inputSchema = z.object({ prompt: z.string() });

/** Runs another agent with `parent: ctx`. */
const withParent = (agent: Agent<readonly Tool[]>): Tool =>
  tool({
    name: 'sub',
    inputSchema,
    execute: async (_args, ctx: RunContext) => (await agent.run('Go.', { parent: ctx })).output,
  });

/** Paths of calls that another call or another agent makes. */
export const delegationPaths: Readonly<Record<string, Path>> = {
  'ctx.toolManager': {
    // A call from another tool cannot be deferred, so it is rejected.
    neverRuns: true,
    take: async ({ tool: guarded }, said) => {
      const outer: Tool = tool({
        name: 'outer',
        execute: (_args, ctx) => ctx.toolManager.call('guarded', { value: 'a' }),
      });
      const agent = probeAgent([calls('outer')], { tools: [outer, guarded] });
      await agent.run('Go.', { deferredToolHandler: handlerFor(said) });
    },
  },
  'ctx.toolManager of an approved call': {
    // The approval covers the other call.
    neverRuns: true,
    take: async ({ tool: guarded }, said) => {
      const outer: Tool = tool({
        name: 'outer',
        requiresApproval: true,
        execute: (_args, ctx) => ctx.toolManager.call('guarded', { value: 'a' }),
      });
      const agent = probeAgent([calls('outer')], { tools: [outer, guarded] });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'agent.asTool': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([handOver], { tools: [subAgent(guarded).asTool()] });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'agent.asTool, inline': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([handOver], { tools: [subAgent(guarded).asTool()] });
      await agent.run('Go.', { deferredToolHandler: handlerFor(said) });
    },
  },
  'agent.asTool, two levels down': {
    take: async ({ tool: guarded }, said) => {
      const inner = subAgent(guarded);
      const middle = new Agent({
        name: 'middle',
        model: following(handOver),
        tools: [inner.asTool()],
      });
      const agent = probeAgent([calls('middle', { prompt: 'Go.' }, { id: 'm' })], {
        tools: [middle.asTool()],
      });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'agent.asTool, that needs approval itself': {
    hasOwnGuard: true,
    take: async ({ ran }, said) => {
      const free: Tool = tool({ name: 'free', execute: ran });
      const sub = new Agent({ name: 'sub', model: following(calls('free')), tools: [free] });
      const agent = probeAgent([handOver], { tools: [sub.asTool({ requiresApproval: true })] });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'agent.run with parent: ctx': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([handOver], { tools: [withParent(subAgent(guarded))] });
      await agent.run('Go.', { deferredToolHandler: handlerFor(said) });
    },
  },
  'agent.run in a tool, on its own': {
    // The handler of the outer run does not apply, and the inner run has none.
    neverRuns: true,
    take: async ({ tool: guarded }, said) => {
      const inner = subAgent(guarded);
      const alone: Tool = tool({
        name: 'sub',
        inputSchema,
        execute: async () => (await inner.run('Go.')).output,
      });
      const agent = probeAgent([handOver], { tools: [alone] });
      await agent.run('Go.', { deferredToolHandler: handlerFor(said) });
    },
  },
  'an inherited toolset': {
    take: async ({ tool: guarded }, said) => {
      const sub = new Agent({
        name: 'sub',
        model: following(callTo()),
        toolsets: [inherit('own')],
      });
      const agent = probeAgent([handOver], {
        tools: [sub.asTool()],
        toolsets: [new FunctionToolset([guarded], { id: 'own' })],
      });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'a toolset that is shared': {
    take: async ({ tool: guarded }, said) => {
      const sub = new Agent({
        name: 'sub',
        model: following(callTo()),
        toolsets: [inherit('own', { share: true })],
      });
      const agent = probeAgent([handOver], {
        tools: [sub.asTool()],
        toolsets: [new FunctionToolset([guarded], { id: 'own' })],
      });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
};
