import { type ReactNode, useEffect, useRef } from 'react';
import { useInbox } from './inbox-context.ts';
import { usePageTitle } from './use-page-title.ts';

/** The heading of what is shown. Whoever has come here by a link inside of the page has the focus on it. */
export function PageHeading({
  title,
  children,
  id,
}: {
  /** For the tab of the browser, and what is shown unless something else is given. */
  readonly title: string;
  readonly children?: ReactNode;
  readonly id?: string | undefined;
}): ReactNode {
  const { navigation } = useInbox();
  const heading = useRef<HTMLHeadingElement>(null);
  const hasMoved = useRef(navigation.moves > 0);
  usePageTitle(title);
  useEffect(() => {
    if (hasMoved.current) heading.current?.focus();
  }, []);
  return (
    <h1 id={id} ref={heading} tabIndex={-1}>
      {children ?? title}
    </h1>
  );
}
