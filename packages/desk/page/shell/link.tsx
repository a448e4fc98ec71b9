import type { MouseEvent, ReactNode } from 'react';
import { useInbox } from './inbox-context.ts';
import type { Route } from './route.ts';

/** A link to another view of the page. */
export function Link({
  to,
  children,
  ...attributes
}: {
  readonly to: Route;
  readonly children: ReactNode;
  readonly className?: string | undefined;
  readonly 'aria-current'?: 'page' | 'true' | undefined;
}): ReactNode {
  const { navigation } = useInbox();
  const onClick = (event: MouseEvent) => {
    // The browser opens another tab or window.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigation.go(to);
  };
  return (
    <a href={navigation.hrefOf(to)} onClick={onClick} {...attributes}>
      {children}
    </a>
  );
}
