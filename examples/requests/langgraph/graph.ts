// A graph of LangGraph with a node whose calls need an approval of the desk.
import assert from 'node:assert/strict';
import { CallFailedError, deskClient, guardCall, type GuardedCall } from '@holdpoint/desk/client';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import {
  END,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { pay } from '../pay.ts';
import { model } from './model.ts';

const { HOLDPOINT_URL: url = '', HOLDPOINT_KEY: key = '', DATABASE_URL = '' } = process.env;

// #region node
export const desk = deskClient({ url, headers: { authorization: `Bearer ${key}` } });

/** Executes the calls of the last message that approvers approve. */
async function refund(
  { messages }: typeof MessagesAnnotation.State,
  config: LangGraphRunnableConfig,
) {
  const calls = callsOf(messages.at(-1)).map(({ id, args }) => {
    assert(id, 'A call without an id cannot be identified after a crash.');
    const idempotencyKey = `${config.configurable?.['thread_id']}:${id}`;
    return { id, call: guardCall(desk, { tool: 'refund', args, idempotencyKey }) };
  });
  // The node starts from its beginning when the graph is resumed. The same calls get the same requests.
  const requests = await Promise.all(calls.map(({ call }) => call.request()));
  // The value with which the graph is resumed decides nothing. Only the desk does.
  interrupt(requests.map((request) => request.id));
  const results = calls.map(async ({ id, call }) => {
    return new ToolMessage({ tool_call_id: id, content: await resultOf(call) });
  });
  return { messages: await Promise.all(results) };
}

async function resultOf(call: GuardedCall): Promise<string> {
  try {
    // The arguments of `pay` are those that the approvers approved. They may have edited them.
    return JSON.stringify(await call.execute(pay));
  } catch (error) {
    if (error instanceof CallFailedError) return `The call has no result: ${error.message}`;
    throw error;
  }
}
// #endregion

function callsOf(message: unknown) {
  return AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
}

// #region graph
export const checkpointer = PostgresSaver.fromConnString(DATABASE_URL);
await checkpointer.setup();
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode('refund', refund)
  .addEdge(START, 'model')
  .addConditionalEdges('model', ({ messages }) =>
    callsOf(messages.at(-1)).length > 0 ? 'refund' : END,
  )
  .addEdge('refund', 'model')
  .compile({ checkpointer });
// #endregion
