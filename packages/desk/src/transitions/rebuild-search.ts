import type { Redaction } from '../redaction/redaction.ts';
import type { ConversationKey, Store } from '../store/store.ts';
import { applyRules } from './record-secrets.ts';

const BATCH = 100;

/**
 * Applies the redaction rules to conversations that were written under other rules, of all tenants. Until
 * then a search does not find them.
 */
export async function rebuildSearch(
  store: Store,
  redaction: Redaction,
  signal: AbortSignal,
): Promise<void> {
  // Without rules, every search text can be used.
  if (redaction.isEmpty) return;
  let after: ConversationKey | undefined;
  do {
    const page = { after, limit: BATCH };
    const found = await store.read((tx) => tx.holds.underOtherRules(redaction.fingerprint, page));
    for (const conversation of found) {
      if (signal.aborted) return;
      await applyRules(store, conversation, redaction);
    }
    after = found.at(-1);
  } while (after !== undefined);
}
