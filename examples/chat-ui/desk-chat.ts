// Conversations at a desk. Ada chats, and Grace of the accounting department decides in the inbox.
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { deskChats } from '@holdpoint/desk/chat-ui';
import { chatHandler } from 'holdpoint/ai-sdk-ui';
import { support } from './agent.ts';
import { userOf } from './user.ts';

export const desk = openDesk({
  store: await sqliteStore(),
  agents: { support: { agent: support } },
  // Ada may approve small refunds herself.
  approvers({ toolName, args }) {
    const { euros = 0 } = args as { euros?: number };
    return toolName === 'refund' && euros > 100 ? { roles: ['accounting'] } : {};
  },
  http: { basePath: '/desk' },
  // Use the session of your application. In this example, every visitor of the inbox is Grace.
  authorize: () => ({
    tenant: 'default',
    person: { id: 'grace', name: 'Grace' },
    roles: ['accounting'],
  }),
});

export const chat = chatHandler({
  backend: deskChats(desk, { agent: 'support' }),
  authorize(request, chatId) {
    const user = userOf(request);
    if (user === undefined) return undefined;
    return { conversationId: `${user}/${chatId}`, by: { id: user, name: 'Ada' } };
  },
  onError: (error) => console.error(error),
});
