import { sql } from 'kysely';
import type { SecretRow } from '../../model/secret-row.ts';
import type { ReadSecrets, SecretKey } from '../store.ts';
import { isOneOfIds } from './conditions.ts';
import { KyselyTable } from './kysely-table.ts';

/** Values that people must not see, in a database. */
export class KyselySecrets extends KyselyTable<SecretRow, SecretKey> implements ReadSecrets {
  ofConversations(
    tenant: string,
    conversationIds: readonly string[],
  ): Promise<readonly SecretRow[]> {
    return this.all(sql`tenant = ${tenant} and ${isOneOfIds('conversation_id', conversationIds)}`);
  }
}
