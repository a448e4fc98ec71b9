import { notFound } from '../../transitions/not-found.ts';
import { historySchema, type HistoryView, historyView } from '../views/history-view.ts';
import type { Endpoint } from './endpoint.ts';
import { type ConversationParams, conversationParams } from './params.ts';

export const getHistory: Endpoint<ConversationParams, unknown, unknown, HistoryView> = {
  method: 'get',
  path: '/conversations/{conversationId}/messages',
  name: 'getHistory',
  summary: 'The messages of a conversation.',
  params: conversationParams,
  status: 200,
  result: historySchema,
  async handle({ desk, params: { conversationId }, rules: { redaction }, secrets, access }) {
    const { items } = await desk.runs({ conversationId, limit: 1 });
    if (items.length === 0) throw notFound('conversation', conversationId);
    await access.requireConversation('read', conversationId);
    const messages = await desk.history(conversationId);
    return historyView(messages, redaction, await secrets.of(conversationId));
  },
};
