import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { itemsOf, useHolds } from '../client/queries.ts';
import { startOf } from '../text/format.ts';
import { visibleText } from '../text/hidden-characters.ts';
import { useInbox } from './inbox-context.ts';

/** The heading of a view. It takes the focus if the person navigated here. */
export function PageHeading({
  title,
  children,
  id,
  ref,
}: {
  /** The title of the tab, and the heading unless `children` are given. */
  readonly title: string;
  readonly children?: ReactNode;
  readonly id?: string | undefined;
  /** Set if other elements move the focus to the heading. */
  readonly ref?: RefObject<HTMLHeadingElement | null> | undefined;
}): ReactNode {
  const { navigation } = useInbox();
  const own = useRef<HTMLHeadingElement>(null);
  const heading = ref ?? own;
  const [hasMoved] = useState(navigation.count > 0);
  usePageTitle(title);
  useEffect(() => {
    if (hasMoved) heading.current?.focus();
  }, [hasMoved, heading]);
  return (
    <h1 id={id} ref={heading} tabIndex={-1}>
      {children ?? title}
    </h1>
  );
}

/** Sets the title of the tab, with the number of holds that wait for the signed-in person. */
export function usePageTitle(title: string): void {
  const { data, hasNextPage } = useHolds({ mine: true });
  const count = itemsOf(data).length;
  const prefix = count === 0 ? '' : `(${count}${hasNextPage ? '+' : ''}) `;
  useEffect(() => {
    document.title = `${prefix}${visibleText(startOf(title, 60).text)} · Holdpoint`;
  }, [prefix, title]);
}
