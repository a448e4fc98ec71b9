import type { Desk } from '../desk/desk.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { HOLD_ORDER, type HoldQuery, type Page, pageOf } from '../model/page.ts';
import type { DeskRules } from './desk-rules.ts';
import type { ConversationSecrets } from './redaction/conversation-secrets.ts';
import { type HoldView, holdFacts } from './views/hold-view.ts';

/** Where holds are looked for. */
interface Place {
  readonly desk: Desk;
  readonly rules: DeskRules;
  readonly secrets: ConversationSecrets;
}

/** How many holds one request looks at. Beyond that, the page says where to go on. */
const MOST_LOOKED_AT = 5_000;
const PAGE = 500;

/**
 * Holds that somebody looks for, and of which `isWanted` holds. A page may have fewer than were asked for,
 * and go on all the same.
 *
 * A text is looked for in what they may see, and nowhere else: who could find a hold by a part of a
 * secret would have the secret soon.
 */
export async function findHolds(
  { desk, rules, secrets }: Place,
  query: HoldQuery,
  isWanted: (hold: HoldRow) => boolean | Promise<boolean>,
): Promise<Page<HoldRow>> {
  const { text, limit = 50 } = query;
  const wanted = rules.redaction.isEmpty ? undefined : text?.toLowerCase();
  const found: HoldRow[] = [];
  let { after } = query;
  let looked = 0;
  do {
    // Who finds nothing on the first page has to look at many.
    const page = await desk.holds({ ...query, after, limit: looked === 0 ? limit : PAGE });
    for (const hold of page.items) {
      const isSeen = wanted === undefined || (await isSeenIn(hold, wanted));
      if (isSeen && (await isWanted(hold))) found.push(hold);
    }
    if (found.length > limit) return pageOf(found, limit, HOLD_ORDER);
    looked += page.items.length;
    after = page.next;
  } while (after !== undefined && found.length < limit && looked < MOST_LOOKED_AT);
  return { items: Object.freeze(found), next: after };

  async function isSeenIn(hold: HoldRow, some: string): Promise<boolean> {
    const seen = holdFacts(hold, rules.redaction, await secrets.of(hold.conversationId));
    const { requester } = await desk.run(hold.runId);
    return seenOf({ ...seen, requester }).includes(some);
  }
}

/** What can be seen of a hold, as one text. */
function seenOf({
  toolName,
  agent,
  args,
  preview,
  requester,
}: Pick<HoldView, 'toolName' | 'agent' | 'args' | 'preview' | 'requester'>): string {
  const texts = [toolName, agent, args, preview, requester].filter((one) => one !== undefined);
  return texts
    .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
    .join(' ')
    .toLowerCase();
}
