import { useCallback, useEffect, useRef, useState } from 'react';
import type { Hold, PageQuery } from '../client/types.ts';
import { calmly } from '../live/calmly.ts';
import { useInbox } from '../shell/inbox-context.ts';
import { type HoldPages, withHold, withPage } from './hold-pages.ts';

/** Which holds are listed. */
export interface HoldListOptions {
  /** Only those that wait for whoever looks. */
  readonly mine: boolean;
  /** What must occur in them. */
  readonly text: string;
}

/** A list of open holds, kept up to date. */
export interface HoldList extends HoldPages {
  readonly isLoading: boolean;
  readonly error?: unknown;
  readonly more: () => void;
  readonly reload: () => void;
}

const PAGE = 50;
/** Things often happen together: what happens in so many milliseconds is looked at once. */
const TOGETHER_MS = 150;
/** If more than so many change at once, the list is asked for as a whole. */
const MOST_SINGLE = 10;

/** Open holds, those that have waited longest first. */
export function useHoldList({ mine, text }: HoldListOptions): HoldList {
  const { client, live, announce } = useInbox();
  const [pages, setPages] = useState<HoldPages>({ items: [] });
  const [isLoading, setIsLoading] = useState(true);
  const [error, setError] = useState<unknown>();
  const turn = useRef(0);
  const shown = useRef(pages);
  shown.current = pages;

  /** Asks for a page, and forgets what comes if something else is wanted by then. */
  const load = useCallback(
    async (query: PageQuery, use: (page: HoldPages) => void) => {
      const own = ++turn.current;
      setIsLoading(true);
      try {
        const wanted = { ...(mine && { mine }), ...(text !== '' && { text }) };
        let page = await client.holds({ ...query, ...wanted });
        // The desk looks at so many at a time, and may have found nothing among them.
        while (page.items.length === 0 && page.next !== undefined && own === turn.current) {
          page = await client.holds({ ...query, ...wanted, after: page.next });
        }
        if (own !== turn.current) return;
        use(page);
        setError(undefined);
      } catch (problem) {
        if (own === turn.current) setError(problem);
      }
      if (own === turn.current) setIsLoading(false);
    },
    [client, mine, text],
  );

  const reload = useCallback(() => {
    const limit = Math.min(500, Math.max(PAGE, shown.current.items.length));
    void load({ limit }, setPages);
  }, [load]);

  const more = useCallback(() => {
    const { next } = shown.current;
    if (next === undefined) return;
    void load({ limit: PAGE, after: next }, (page) => setPages((before) => withPage(before, page)));
  }, [load]);

  useEffect(() => {
    setPages({ items: [] });
    void load({ limit: PAGE }, setPages);
    const changed = new Set<string>();
    const lookAtChanged = async () => {
      const ids = [...changed];
      changed.clear();
      if (text !== '' || ids.length > MOST_SINGLE) return reload();
      const before = new Set(shown.current.items.map((hold) => hold.id));
      let added = 0;
      for (const id of ids) {
        const hold = await client.hold(id).then(
          (found) => found.hold,
          () => undefined,
        );
        if (hold === undefined) continue;
        const isWanted = belongs(hold, mine);
        if (isWanted && !before.has(id)) added += 1;
        setPages((known) => withHold(known, hold, isWanted));
      }
      if (added > 0) announce(added === 1 ? 'A new call waits.' : `${added} new calls wait.`);
    };
    const again = calmly(TOGETHER_MS, () => void lookAtChanged());
    const end = live.listen((news) => {
      if (news.kind === 'missed') return reload();
      const holdId = news.event.data['holdId'];
      if (typeof holdId !== 'string') return;
      const isShown = shown.current.items.some(({ id }) => id === holdId);
      // What comes after the end of what is shown is not asked for.
      if (!isShown && (news.event.kind === 'hold-settled' || shown.current.next !== undefined))
        return;
      changed.add(holdId);
      again.trigger();
    });
    return () => {
      again.cancel();
      end();
      turn.current += 1;
    };
  }, [client, live, load, reload, mine, text, announce]);

  return { ...pages, isLoading, error, more, reload };
}

function belongs({ state, mine: forMe }: Hold, mine: boolean): boolean {
  if (state !== 'open') return false;
  return !mine || (forMe.mayAnswer && !forMe.hasVoted);
}
