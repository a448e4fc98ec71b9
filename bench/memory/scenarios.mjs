/**
 * Runs that end in different ways. `start(wait)` starts one and returns a promise of its end. The
 * run awaits `wait()` once, so that all runs can be unfinished at the same time. `startAll(wait)`
 * starts all of them.
 */
import { getEventListeners } from 'node:events';
import { Agent, DeferredToolRequests, MemoryLedger, messageCodec } from 'holdpoint';
import { drain, loopModel, weatherTool } from '../micro/support.mjs';

/** A tool that awaits `deps.wait()` of its run. */
const waitingTool = (options) =>
  weatherTool({
    async execute(_, { deps }) {
      await deps.wait();
      return 'clear';
    },
    ...options,
  });

const waitingAgent = () => new Agent({ model: loopModel(2, 1), tools: [waitingTool()] });

const onlyFirst = (wait) => {
  let waited = false;
  return () => {
    if (waited) return undefined;
    waited = true;
    return wait();
  };
};

export const SCENARIOS = {
  'run to the end': () => {
    const agent = waitingAgent();
    return { start: (wait) => agent.run('Go.', { deps: { wait: onlyFirst(wait) } }) };
  },
  'stream to the end': () => {
    const agent = waitingAgent();
    return { start: (wait) => drain(agent.stream('Go.', { deps: { wait: onlyFirst(wait) } })) };
  },
  'stream that the reader leaves early': () => {
    const agent = waitingAgent();
    return {
      async start(wait) {
        for await (const event of agent.stream('Go.', { deps: { wait: onlyFirst(wait) } })) {
          if (event.kind === 'tool-result') break;
        }
      },
    };
  },
  'run under one long-lived signal': () => {
    const agent = waitingAgent();
    const { signal } = new AbortController();
    return {
      start(wait) {
        const deps = { wait: onlyFirst(wait) };
        return agent.run('Go.', { signal, deps });
      },
      check() {
        const left = getEventListeners(signal, 'abort').length;
        if (left > 0) throw new Error(`${left} listeners stayed on the signal.`);
      },
    };
  },
  'run that fails': () => {
    const tools = [
      waitingTool({
        async execute(_, { deps }) {
          await deps.wait();
          throw new Error('broken');
        },
      }),
    ];
    const agent = new Agent({ model: loopModel(1, 1), tools });
    return { start: (wait) => agent.run('Go.', { deps: { wait } }).catch(() => {}) };
  },
  'one run with as many calls': (count) => {
    const agent = new Agent({ model: loopModel(1, count), tools: [waitingTool()] });
    return { startAll: (wait) => agent.run('Go.', { deps: { wait } }) };
  },
  'park, store, load and resume': () => {
    const agent = parkingAgent();
    return {
      async start(wait) {
        const { messages, output } = await agent.run('Go.', { deps: { wait } });
        const stored = { messages: messageCodec.parse(messageCodec.stringify(messages)) };
        const results = output.buildResults({ approveAll: true });
        await agent.resume(stored, results, { deps: { wait } });
      },
    };
  },
  'park and resume with a ledger': () => {
    const agent = parkingAgent();
    return {
      async start(wait) {
        // Each run has its own ledger, because a ledger keeps its entries.
        const options = { durability: { ledger: new MemoryLedger() }, deps: { wait } };
        const parked = await agent.run('Go.', options);
        await agent.resume(parked, parked.output.buildResults({ approveAll: true }), options);
      },
    };
  },
};

function parkingAgent() {
  return new Agent({
    model: loopModel(1, 1),
    tools: [waitingTool({ requiresApproval: true })],
    output: [String, DeferredToolRequests],
  });
}
