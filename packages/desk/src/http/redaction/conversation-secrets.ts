import type { Desk } from '../../desk/desk.ts';
import { contextOf } from '../../desk/desk-reader.ts';
import type { ReadTx } from '../../store/store.ts';
import { Secrets } from '../../redaction/secrets.ts';
import { storedValues } from '../../transitions/record-secrets.ts';

const NO_SECRETS = new Secrets([]);

/** The values that approvers must not see, by conversation. They are read once for each request. */
export class ConversationSecrets {
  readonly #desk: Desk;
  readonly #known = new Map<string, Secrets>();
  readonly #values = new Map<string, ReadonlySet<string>>();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Returns the values of a conversation, and others that are not recorded yet. */
  async of(conversationId: string, others?: ReadonlySet<string>): Promise<Secrets> {
    await this.load([conversationId]);
    if (others !== undefined && others.size > 0) {
      return new Secrets([...(this.#values.get(conversationId) ?? []), ...others]);
    }
    return this.#known.get(conversationId) ?? NO_SECRETS;
  }

  /** Reads the values of several conversations with few queries. */
  async load(conversationIds: readonly string[]): Promise<void> {
    const { store, redaction } = contextOf(this.#desk);
    const ids = [...new Set(conversationIds)].filter((id) => !this.#known.has(id));
    if (redaction.isEmpty || ids.length === 0) return;
    await store.read(async (tx) => {
      const values = await this.#recorded(tx, ids);
      const { tenant } = this.#desk;
      // A worker records the values of older messages under new rules when it starts. Until then, find them here.
      const others = await tx.runs.underOtherRules(tenant, ids, redaction.fingerprint);
      for (const id of others) {
        for (const value of await storedValues(tx, [tenant, id], redaction)) {
          values.get(id)?.add(value);
        }
      }
      for (const [id, found] of values) {
        this.#known.set(id, new Secrets(found));
        this.#values.set(id, found);
      }
    });
  }

  async #recorded(tx: ReadTx, ids: readonly string[]): Promise<Map<string, Set<string>>> {
    const values = new Map(ids.map((id) => [id, new Set<string>()]));
    for (const row of await tx.secrets.ofConversations(this.#desk.tenant, ids)) {
      values.get(row.conversationId)?.add(row.value);
    }
    return values;
  }
}
