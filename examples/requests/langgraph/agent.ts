// Starts the graph, or continues it from its checkpoint: DATABASE_URL=… node agent.ts <thread>
import { Command, INTERRUPT, isInterrupted } from '@langchain/langgraph';
import { checkpointer, desk, graph } from './graph.ts';

// #region loop
/** Starts a thread, or continues it from its checkpoint. */
async function run(thread: string): Promise<string> {
  const config = { configurable: { thread_id: thread } };
  const { values } = await graph.getState(config);
  const isNew = values.messages === undefined;
  let input: Parameters<typeof graph.invoke>[0] = isNew ? { messages: ['Refund order 17.'] } : null;
  for (;;) {
    const state = await graph.invoke(input, config);
    if (!isInterrupted<string[]>(state)) return state.messages.at(-1)?.text ?? '';
    // The checkpoint is stored. From here on, another process can continue.
    for (const { value = [] } of state[INTERRUPT]) await Promise.all(value.map(waitForDecision));
    input = new Command({ resume: true });
  }
}

/** Waits for the decision about a request without a time limit. */
async function waitForDecision(requestId: string): Promise<void> {
  let { state } = await desk.getRequest(requestId);
  while (state === 'pending') ({ state } = await desk.getRequest(requestId, { wait: 20 }));
}
// #endregion

console.log(await run(process.argv[2] ?? ''));
await checkpointer.end();
