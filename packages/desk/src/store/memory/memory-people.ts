import type { DeliveryRow } from '../../model/delivery-row.ts';
import type { SecretRow } from '../../model/secret-row.ts';
import type { TokenKind, TokenRow } from '../../model/token-row.ts';
import type {
  DeliveryKey,
  ReadDeliveries,
  ReadSecrets,
  SecretKey,
  TokenKey,
  Tokens,
} from '../store.ts';
import { DELIVERIES, TOKENS } from '../tables/people-specs.ts';
import { SECRETS } from '../tables/specs.ts';
import { MemoryTable } from './memory-table.ts';

/** Tokens in memory. */
export class MemoryTokens extends MemoryTable<TokenRow, TokenKey> implements Tokens {
  constructor() {
    super(TOKENS);
  }

  async findAbout(tenant: string, kind: TokenKind, about: string): Promise<readonly TokenRow[]> {
    return this.#of(tenant, kind).filter((row) => row.about === about);
  }

  async findOf(tenant: string, kind: TokenKind, personKey: string): Promise<readonly TokenRow[]> {
    return this.#of(tenant, kind).filter((row) => row.personKey === personKey);
  }

  #of(tenant: string, kind: TokenKind): TokenRow[] {
    return [...this.rows.values()]
      .filter((row) => row.tenant === tenant && row.kind === kind)
      .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  async removeExpired(before: number, most: number): Promise<void> {
    const old = [...this.rows.values()].filter(({ expiresAt }) => expiresAt < before);
    for (const { id } of old.slice(0, most)) await this.remove(id);
  }
}

/** Values that people must not see, in memory. */
export class MemorySecrets extends MemoryTable<SecretRow, SecretKey> implements ReadSecrets {
  constructor() {
    super(SECRETS);
  }

  async ofConversations(
    tenant: string,
    conversationIds: readonly string[],
  ): Promise<readonly SecretRow[]> {
    return [...this.rows.values()].filter(
      (row) => row.tenant === tenant && conversationIds.includes(row.conversationId),
    );
  }
}

/** Deliveries in memory. */
export class MemoryDeliveries
  extends MemoryTable<DeliveryRow, DeliveryKey>
  implements ReadDeliveries
{
  constructor() {
    super(DELIVERIES);
  }

  async ofEvent(tenant: string, eventId: string): Promise<readonly DeliveryRow[]> {
    return [...this.rows.values()]
      .filter((row) => row.tenant === tenant && row.eventId === eventId)
      .toSorted((a, b) => (a.receiver < b.receiver ? -1 : 1));
  }
}
