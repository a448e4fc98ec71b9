import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { RunnableLambda } from '@langchain/core/runnables';

/** A scripted model of LangChain, which refunds 20 euros. */
export const model = RunnableLambda.from((messages: BaseMessage[]) =>
  messages.at(-1)?.type === 'tool'
    ? new AIMessage('The refund is on its way.')
    : new AIMessage({
        content: '',
        tool_calls: [{ id: 'call-1', name: 'refund', args: { order: '17', euros: 20 } }],
      }),
);
