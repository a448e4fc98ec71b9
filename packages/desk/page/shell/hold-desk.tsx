import { type ReactNode, useEffect, useRef } from 'react';
import { HoldListView } from '../holds/hold-list.tsx';
import { HoldPage } from '../holds/hold-page.tsx';
import { useInbox } from './inbox-context.ts';
import { Link } from './link.tsx';
import { useKeys } from './use-keys.ts';
import { usePageTitle } from './use-page-title.ts';
import type { Navigation } from './use-route.ts';

const HEADINGS: Readonly<Record<Navigation['list'], string>> = {
  mine: 'Waiting for you',
  open: 'All open',
};

/** The list of what waits, and beside it the one that is open; on a phone one or the other. */
export function HoldDesk(): ReactNode {
  const { navigation } = useInbox();
  const { route, list, go } = navigation;
  const openId = route.name === 'hold' ? route.id : undefined;
  const isOpen = openId !== undefined;
  useReturn(openId);
  useKeys({
    Escape: () => {
      if (isOpen && document.querySelector('.answer-form') === null) go({ name: list });
    },
  });
  return (
    <div className={isOpen ? 'panes has-open' : 'panes'}>
      <div
        className="list-pane"
        id={isOpen ? undefined : 'content'}
        tabIndex={isOpen ? undefined : -1}
      >
        <HoldListView
          key={list}
          mine={list === 'mine'}
          currentId={openId}
          heading={<ListHeading text={HEADINGS[list]} isMain={!isOpen} />}
        />
      </div>
      <div
        className="sheet-pane"
        id={isOpen ? 'content' : undefined}
        tabIndex={isOpen ? -1 : undefined}
      >
        {openId === undefined ? (
          <p className="nothing-open">Open a call to see what it would do.</p>
        ) : (
          <>
            <p className="back">
              <Link to={{ name: list }}>‹ {HEADINGS[list]}</Link>
            </p>
            <HoldPage key={openId} id={openId} />
          </>
        )}
      </div>
    </div>
  );
}

function ListHeading({
  text,
  isMain,
}: {
  readonly text: string;
  readonly isMain: boolean;
}): ReactNode {
  return isMain ? <MainHeading text={text} /> : <h2>{text}</h2>;
}

function MainHeading({ text }: { readonly text: string }): ReactNode {
  usePageTitle(text);
  return <h1 tabIndex={-1}>{text}</h1>;
}

/** Whoever comes back to the list is where they were in it, or at its beginning. */
function useReturn(openId: string | undefined): void {
  const { navigation } = useInbox();
  const last = useRef(openId);
  useEffect(() => {
    const before = last.current;
    last.current = openId;
    if (openId !== undefined || navigation.moves === 0) return;
    const rows = [...document.querySelectorAll<HTMLAnchorElement>('.list-pane [data-rows] a')];
    const row = before === undefined ? undefined : rows.find(({ href }) => href.endsWith(before));
    (row ?? document.querySelector<HTMLElement>('.list-pane h1'))?.focus();
  }, [openId, navigation.moves]);
}
