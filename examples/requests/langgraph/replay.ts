// Resumes the graph once more, from the checkpoint before its call: DATABASE_URL=… node replay.ts <thread>
import { Command } from '@langchain/langgraph';
import { checkpointer, graph } from './graph.ts';

const thread = { configurable: { thread_id: process.argv[2] ?? '' } };
for await (const { config, next } of graph.getStateHistory(thread)) {
  if (!next.includes('refund')) continue;
  const { messages } = await graph.invoke(new Command({ resume: true }), config);
  console.log(messages.at(-1)?.text);
  break;
}
await checkpointer.end();
