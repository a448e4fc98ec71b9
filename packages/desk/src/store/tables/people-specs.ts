import type { DeliveryRow } from '../../model/delivery-row.ts';
import type { TokenRow } from '../../model/token-row.ts';
import type { TableSpec } from './table-spec.ts';

/** Tokens that people have. Their hashes are unlike each other, whoever's they are. */
export const TOKENS: TableSpec<TokenRow> = {
  name: 'desk_tokens',
  key: ['id'],
  columns: {
    id: 'text',
    kind: 'text',
    tenant: 'text',
    about: 'text',
    personKey: 'text',
    data: 'json',
    createdAt: 'number',
    expiresAt: 'number',
    seenAt: 'number',
    end: 'text',
    endedAt: 'number',
  },
};

/** What receivers of webhooks are told. */
export const DELIVERIES: TableSpec<DeliveryRow> = {
  name: 'desk_deliveries',
  key: ['tenant', 'eventId', 'receiver'],
  columns: {
    tenant: 'text',
    eventId: 'text',
    receiver: 'text',
    host: 'text',
    state: 'text',
    tries: 'number',
    problem: 'json',
    createdAt: 'number',
    changedAt: 'number',
  },
};
