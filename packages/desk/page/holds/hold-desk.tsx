import type { ReactNode } from 'react';
import { useInbox } from '../shell/inbox-context.ts';
import { useShortcuts } from '../shell/keyboard.ts';
import { Link } from '../shell/link.tsx';
import { HoldList, LIST_TITLES } from './hold-list.tsx';
import { HoldPage } from './hold-page.tsx';

/** The list of holds and the open hold, side by side; one of them on a narrow screen. */
export function HoldDesk(): ReactNode {
  const { navigation } = useInbox();
  const { route, list, go } = navigation;
  const openId = route.name === 'hold' ? route.id : undefined;
  const isOpen = openId !== undefined;
  useShortcuts(isOpen ? { Escape: () => go({ name: list }) } : {});
  return (
    <div className={isOpen ? 'panes has-open' : 'panes'}>
      <div
        className="list-pane"
        id={isOpen ? undefined : 'content'}
        tabIndex={isOpen ? undefined : -1}
      >
        <HoldList key={list} list={list} openId={openId} />
      </div>
      <div
        className="sheet-pane"
        id={isOpen ? 'content' : undefined}
        tabIndex={isOpen ? -1 : undefined}
      >
        {isOpen ? (
          <>
            <p className="back">
              <Link to={{ name: list }}>
                <span aria-hidden="true">‹</span> {LIST_TITLES[list]}
              </Link>
            </p>
            <HoldPage key={openId} id={openId} />
          </>
        ) : (
          <p className="empty nothing-open">Select a hold to review it.</p>
        )}
      </div>
    </div>
  );
}
