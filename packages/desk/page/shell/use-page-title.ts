import { useEffect } from 'react';
import { visibleText } from '../text/hidden-characters.ts';
import { beginningOf } from '../text/beginning.ts';

/** Gives the tab a name. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${visibleText(beginningOf(title, 60).text)} · Inbox`;
  }, [title]);
}
