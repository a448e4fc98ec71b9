import type { JsonObject } from 'holdpoint';
import type { HoldRow } from '../model/hold-row.ts';
import { newId } from '../model/new-id.ts';
import type { TokenRow } from '../model/token-row.ts';
import type { Store, Tx } from '../store/store.ts';

/** The time for which a card is known, in milliseconds. */
const KEPT_MS = 365 * 24 * 60 * 60_000;

/** The message that shows a card. */
export interface CardMessage {
  readonly threadId: string;
  readonly messageId: string;
}

/**
 * A stored card. Its id is the value of its buttons. The id grants no right, because the platform
 * names the user.
 */
export interface HoldCard {
  readonly id: string;
  readonly tenant: string;
  readonly holdId: string;
  /** The digest and the revision of the hold that the card shows. */
  readonly digest: string;
  readonly revision: number;
  /** The channel or the thread where it was posted. */
  readonly targetId: string;
  readonly isThread: boolean;
  /** Missing until the platform has accepted the message. */
  readonly message?: CardMessage | undefined;
  /** The outcome that was sent to the thread. */
  readonly sentOutcome?: string | undefined;
  /** True if another card shows the hold in the same message. */
  readonly isReplaced: boolean;
}

/** The members of a card that are in the data of its row. */
type CardData = Omit<HoldCard, 'id' | 'tenant' | 'holdId' | 'isReplaced'>;

/** The cards of holds, in the store of the desk. */
export class CardStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns a card by the value of its buttons. */
  async get(id: string): Promise<HoldCard | undefined> {
    const row = await this.#store.read((tx) => tx.tokens.get(id));
    return row?.kind === 'chat-card' ? cardOf(row) : undefined;
  }

  /** Returns the cards of a hold, without those that were replaced. */
  async ofHold(tenant: string, holdId: string): Promise<readonly HoldCard[]> {
    const rows = await this.#store.read((tx) => tx.tokens.findAbout(tenant, 'chat-card', holdId));
    return rows.map(cardOf).filter(({ isReplaced }) => !isReplaced);
  }

  /** Stores a card of the current hold, before it is posted. */
  create(hold: HoldRow, target: Pick<HoldCard, 'targetId' | 'isThread'>): Promise<HoldCard> {
    return this.#store.write((tx) => insertCard(tx, hold, target));
  }

  /**
   * Stores a card for the current hold, in the same message. The buttons of the earlier card are
   * stale. Returns `undefined` if another process has replaced the card.
   */
  replace(card: HoldCard, hold: HoldRow): Promise<HoldCard | undefined> {
    const { targetId, isThread, message, sentOutcome } = card;
    return this.#store.write(async (tx) => {
      const row = await tx.tokens.lock(card.id);
      if (row === undefined || row.end !== undefined) return undefined;
      await tx.tokens.put({ ...row, end: 'revoked', endedAt: await tx.now() });
      return insertCard(tx, hold, { targetId, isThread, message, sentOutcome });
    });
  }

  /** Stores the message of a card. */
  async setMessage(card: HoldCard, message: CardMessage): Promise<void> {
    await this.#store.write(async (tx) => {
      const row = await tx.tokens.lock(card.id);
      if (row !== undefined)
        await tx.tokens.put({ ...row, data: jsonOf({ ...row.data, message }) });
    });
  }

  /**
   * Stores the outcome that is sent to the thread, or `undefined` if it was not sent. Returns
   * `false` if another process sends it or has sent it.
   */
  setOutcome(card: HoldCard, sentOutcome: string | undefined): Promise<boolean> {
    return this.#store.write(async (tx) => {
      const row = await tx.tokens.lock(card.id);
      if (row === undefined || includesOutcome(cardOf(row), sentOutcome)) return false;
      await tx.tokens.put({ ...row, data: jsonOf({ ...row.data, sentOutcome }) });
      return true;
    });
  }
}

/** Returns whether an outcome or a later one was sent. A later one begins with the earlier one. */
function includesOutcome({ sentOutcome }: HoldCard, outcome: string | undefined): boolean {
  if (sentOutcome === undefined || outcome === undefined) return sentOutcome === outcome;
  return `${sentOutcome} `.startsWith(`${outcome} `);
}

async function insertCard(
  tx: Tx,
  { tenant, id: about, digest, revision = 0 }: HoldRow,
  target: Omit<CardData, 'digest' | 'revision'>,
): Promise<HoldCard> {
  const createdAt = await tx.now();
  const row: TokenRow = {
    id: newId(),
    kind: 'chat-card',
    tenant,
    about,
    personKey: '',
    data: jsonOf({ digest, revision, ...target }),
    createdAt,
    expiresAt: createdAt + KEPT_MS,
  };
  await tx.tokens.insert(row);
  return cardOf(row);
}

/** Returns data without members that are missing, as JSON has no `undefined`. */
function jsonOf(data: object): JsonObject {
  // All members of a card are JSON.
  return Object.fromEntries(
    Object.entries(data).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}

function cardOf({ id, tenant, about, data, end }: TokenRow): HoldCard {
  // Only this class writes such rows.
  const kept = data as unknown as CardData;
  return Object.freeze({ ...kept, id, tenant, holdId: about, isReplaced: end !== undefined });
}
