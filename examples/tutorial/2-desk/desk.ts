// The desk of the shop: it stores conversations and pending calls, and managers approve refunds.
import { appendFileSync } from 'node:fs';
import { openDesk, type Store, type WebhookOptions } from '@holdpoint/desk';
import { deskChats } from '@holdpoint/desk/chat-ui';
import { chatHandler } from 'holdpoint/ai-sdk-ui';
import { type Shop, support } from '../1-agent/agent.ts';

/** A shop that records its payments in a file, so that a restart does not lose them. */
export function shopWith(journal: string): Shop {
  return {
    orders: new Map([
      ['17', 40],
      ['42', 400],
    ]),
    async pay(order, euros) {
      appendFileSync(journal, `${order}: ${euros}\n`);
    },
  };
}

// #region desk
export function openShopDesk(store: Store, shop: Shop, webhooks: readonly WebhookOptions[] = []) {
  return openDesk({
    store,
    agents: { support: { agent: support, deps: () => shop } },
    approvers: { refund: { roles: ['manager'], notRequester: true } },
    expiresAfter: 7 * 24 * 60 * 60_000,
    webhooks,
    http: { basePath: '/desk' },
    // Use the session of your application: here everyone who opens the inbox is Grace.
    authorize: () => ({ tenant: 'default', person: GRACE, roles: ['manager'] }),
  });
}
// #endregion

export const ADA = { id: 'ada', name: 'Ada' };
export const GRACE = { id: 'grace', name: 'Grace' };

export type ShopDesk = ReturnType<typeof openShopDesk>;

// #region chat
/** The endpoints that `useChat` of the AI SDK needs. Customers chat; they may not approve. */
export function shopChat(desk: ShopDesk) {
  return chatHandler({
    backend: deskChats(desk, { agent: 'support' }),
    // Use the session of your application: here every customer is Ada.
    authorize: (_request, chatId) => ({ conversationId: `ada/${chatId}`, by: ADA }),
  });
}
// #endregion
