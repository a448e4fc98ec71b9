// Conversations in a map. The runs execute in this process.
import { messageCodec } from 'holdpoint';
import { chatHandler } from 'holdpoint/ai-sdk-ui';
import { support } from './agent.ts';
import { userOf } from './user.ts';

/** The conversations as JSON, by their id. Use a table of your database. */
const conversations = new Map<string, string>();

// #region handler
export const chat = chatHandler({
  agent: support,
  authorize(request, chatId) {
    const user = userOf(request);
    return user === undefined ? undefined : { conversationId: `${user}/${chatId}` };
  },
  load({ conversationId }) {
    const text = conversations.get(conversationId);
    return text === undefined ? undefined : messageCodec.parse(text);
  },
  save({ conversationId }, messages) {
    conversations.set(conversationId, messageCodec.stringify(messages));
  },
  onError: (error) => console.error(error),
});
// #endregion
