import type { Desk } from '../desk/desk.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { HOLD_ORDER, type HoldQuery, type Page, pageOf } from '../model/page.ts';
import type { Person } from '../model/person.ts';
import type { ConversationSecrets } from './redaction/conversation-secrets.ts';
import type { Redaction } from './redaction/redaction.ts';
import { type HoldView, holdView } from './views/hold-view.ts';

/**
 * Holds that somebody looks for.
 *
 * A text is looked for in what they may see, and nowhere else: who could find a hold by a part of a
 * secret would have the secret soon.
 */
export async function findHolds(
  desk: Desk,
  query: HoldQuery,
  redaction: Redaction,
  secrets: ConversationSecrets,
): Promise<Page<HoldRow>> {
  const { text, limit = 50 } = query;
  if (text === undefined || redaction.isEmpty) return desk.holds(query);
  const wanted = text.toLowerCase();
  const found: HoldRow[] = [];
  let after = query.after;
  do {
    const page = await desk.holds({ ...query, after });
    for (const hold of page.items) {
      const view = holdView(hold, redaction, await secrets.of(hold.conversationId));
      const { requester } = await desk.run(hold.runId);
      if (seenOf(view, requester).includes(wanted)) found.push(hold);
    }
    after = page.next;
  } while (after !== undefined && found.length <= limit);
  return pageOf(found.slice(0, limit + 1), limit, HOLD_ORDER);
}

/** What can be seen of a hold, as one text. */
function seenOf({ toolName, agent, args, preview }: HoldView, requester?: Person): string {
  const texts = [toolName, agent, args, preview, requester].filter((one) => one !== undefined);
  return texts
    .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
    .join(' ')
    .toLowerCase();
}
