import { useCallback, useEffect, useMemo, useState } from 'react';

/** A view of the page. */
export type Route =
  | { readonly name: 'mine' | 'open' | 'runs' | 'grants' | 'delegations' | 'unknown' }
  | { readonly name: 'hold' | 'run' | 'audit'; readonly id: string };

const LISTS: ReadonlyMap<string, Route> = new Map([
  ['', { name: 'mine' }],
  ['open', { name: 'open' }],
  ['runs', { name: 'runs' }],
  ['grants', { name: 'grants' }],
  ['delegations', { name: 'delegations' }],
]);

const ITEMS: ReadonlyMap<string, 'hold' | 'run' | 'audit'> = new Map([
  ['holds', 'hold'],
  ['runs', 'run'],
  ['audit', 'audit'],
]);

/** Returns the route of a path below the page's root, such as `/holds/…`. */
export function routeOf(path: string): Route {
  const [first = '', id = '', ...rest] = path.split('/').filter((step) => step !== '');
  if (rest.length > 0) return { name: 'unknown' };
  if (id === '') return LISTS.get(first) ?? { name: 'unknown' };
  const name = ITEMS.get(first);
  return name === undefined ? { name: 'unknown' } : { name, id: decode(id) };
}

/** Returns the path of a route below the page's root. */
export function pathOf(route: Route): string {
  switch (route.name) {
    case 'mine':
    case 'unknown':
      return '';
    case 'open':
    case 'runs':
    case 'grants':
    case 'delegations':
      return `/${route.name}`;
    case 'hold':
      return `/holds/${encodeURIComponent(route.id)}`;
    case 'run':
      return `/runs/${encodeURIComponent(route.id)}`;
    case 'audit':
      return `/audit/${encodeURIComponent(route.id)}`;
  }
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** The current route, and navigation without a page load. */
export interface Navigation {
  readonly route: Route;
  /** The list of holds that was shown last. */
  readonly list: 'mine' | 'open';
  /** The number of navigations since the page was loaded. */
  readonly count: number;
  readonly go: (route: Route) => void;
  readonly hrefOf: (route: Route) => string;
}

interface Location {
  readonly route: Route;
  readonly list: Navigation['list'];
  readonly count: number;
}

/**
 * Follows the address of the page.
 *
 * @param base - The path of the page's root, such as `/desk/inbox`.
 */
export function useRoute(base: string): Navigation {
  const [current, setCurrent] = useState<Location>(() =>
    locate(base, { route: { name: 'mine' }, list: 'mine', count: -1 }),
  );
  useEffect(() => {
    const onMove = () => setCurrent((before) => locate(base, before));
    addEventListener('popstate', onMove);
    return () => removeEventListener('popstate', onMove);
  }, [base]);
  const hrefOf = useCallback((route: Route) => `${base}${pathOf(route)}`, [base]);
  const go = useCallback(
    (route: Route) => {
      const path = hrefOf(route);
      if (path !== location.pathname) history.pushState(null, '', path);
      setCurrent((before) => locate(base, before));
    },
    [base, hrefOf],
  );
  return useMemo(() => ({ ...current, go, hrefOf }), [current, go, hrefOf]);
}

function locate(base: string, { list, count }: Location): Location {
  const route = routeOf(location.pathname.slice(base.length));
  const isList = route.name === 'mine' || route.name === 'open';
  return { route, list: isList ? route.name : list, count: count + 1 };
}
