import { Agent, type ParallelMode, type Tool, ToolApproved, tool, WrapperAgent } from 'holdpoint';
import { calls, responds } from 'holdpoint/testing';
import { z } from 'zod';
import { historyBeforeCalls, probeAgent, stored } from '../guarantees/examples/probe.ts';
import { expectParked } from '../support/deferral.ts';
import { following } from '../support/sub-agents.ts';
import { resumeWith, decisionsFor, callTo, handlerFor, type Path } from './path.ts';

const plain: Tool = tool({ name: 'plain', execute: () => 'plain' });

/** The guarded call between two others, in one response. */
const among = (parallelMode: ParallelMode): Path => ({
  take: async ({ tool: guarded }, said) => {
    const script = [responds(calls('plain'), callTo(), calls('plain'))];
    const agent = probeAgent(script, { tools: [plain, guarded] });
    await resumeWith(agent, agent.run('Go.', { parallelMode }), said);
  },
});

/** The guarded call beside an output, which ends the run. */
const besideOutput = (endStrategy: 'graceful' | 'early' | 'exhaustive'): Path => ({
  neverRuns: true,
  ...(endStrategy === 'early' && { isBlocked: true }),
  take: async ({ tool: guarded }, said) => {
    const agent = new Agent({
      model: following(responds(callTo(), calls('final_result', { value: 42 }))),
      tools: [guarded],
      output: z.object({ value: z.number() }),
      endStrategy,
    });
    await agent.run('Go.', { deferredToolHandler: handlerFor(said) });
  },
});

/** Paths through the methods of an agent. */
export const agentPaths: Readonly<Record<string, Path>> = {
  'agent.run': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], { tools: [guarded] });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'agent.resume': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], { tools: [guarded] });
      const parked = await expectParked(agent.run('Go.'));
      if (said !== 'nothing') await agent.resume(parked, decisionsFor(parked.output, said));
    },
  },
  'agent.stream': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], { tools: [guarded] });
      const { messages, output, status } = await agent.stream('Go.').result;
      if (status === 'finished' || said === 'nothing') return;
      await agent.stream(undefined, {
        messageHistory: stored(messages).messages,
        deferredToolResults: decisionsFor(output, said),
      }).result;
    },
  },
  'agent.iter': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], { tools: [guarded] });
      const run = agent.iter('Go.');
      for await (const _ of run);
      if (run.result?.status !== 'parked' || said === 'nothing') return;
      const deferredToolResults = decisionsFor(run.result.output, said);
      const messageHistory = stored(run.messages).messages;
      for await (const _ of agent.iter(undefined, { messageHistory, deferredToolResults }));
    },
  },
  'agent.override': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], { tools: [plain] });
      await agent.override({ tools: [guarded] }, () => resumeWith(agent, agent.run('Go.'), said));
    },
  },
  'agent.open': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], { tools: [guarded] });
      await using _held = await agent.open();
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'a wrapper agent': {
    take: async ({ tool: guarded }, said) => {
      const agent = new WrapperAgent(probeAgent([callTo()], { tools: [guarded] }));
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'inline, with a handler': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], { tools: [guarded] });
      await agent.run('Go.', { deferredToolHandler: handlerFor(said) });
    },
  },
  'inline, streamed': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], { tools: [guarded] });
      await agent.stream('Go.', { deferredToolHandler: handlerFor(said) }).result;
    },
  },
  'edited arguments': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], { tools: [guarded] });
      const parked = await expectParked(agent.run('Go.'));
      if (said === 'nothing') return;
      const results = decisionsFor(parked.output, said);
      const edited = new ToolApproved({ overrideArgs: { value: 'b' } });
      if (said === 'yes') results.approvals['g'] = edited;
      await agent.resume(parked, results);
    },
  },
  parallel: among('parallel'),
  sequential: among('sequential'),
  'parallel, with events in order': among('parallel-ordered-events'),
  'a sequential tool': {
    take: async (guarded, said) => {
      const alone = tool({ name: 'alone', sequential: true, execute: () => 'alone' });
      const agent = probeAgent([responds(calls('alone'), callTo())], {
        tools: [alone, guarded.tool],
      });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'retried by the model': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([calls('guarded', { value: 7 }, { id: 'bad' }), callTo()], {
        tools: [guarded],
      });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'a history that ends with the call': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], { tools: [guarded] });
      const messageHistory = await historyBeforeCalls(agent);
      await resumeWith(agent, agent.run(undefined, { messageHistory }), said);
    },
  },
  'a parked history, gone on with by a handler': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], { tools: [guarded] });
      const { messages: messageHistory } = await expectParked(agent.run('Go.'));
      await agent.run(undefined, { messageHistory, deferredToolHandler: handlerFor(said) });
    },
  },
  'a parked history, given up': {
    neverRuns: true,
    take: async ({ tool: guarded }) => {
      const agent = probeAgent([callTo()], { tools: [guarded] });
      const { messages: messageHistory } = await expectParked(agent.run('Go.'));
      await agent.run('Never mind.', { messageHistory, onPendingCalls: 'cancel' });
    },
  },
  'beside an output, graceful': besideOutput('graceful'),
  'beside an output, early': besideOutput('early'),
  'beside an output, exhaustive': besideOutput('exhaustive'),
  'a policy of the agent': {
    hasOwnGuard: true,
    take: async ({ ran }, said) => {
      const open: Tool = tool({ name: 'open', execute: ran });
      const agent = probeAgent([calls('open', {}, { id: 'g' })], {
        tools: [open],
        approvalPolicy: () => true,
      });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
};
