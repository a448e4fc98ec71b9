import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { pathOf, type Route, routeOf } from './route.ts';

/** Where the page is, and how to go elsewhere in it. */
export interface Navigation {
  readonly route: Route;
  /** The list that was looked at last. */
  readonly list: 'mine' | 'open';
  /** Counts how often somebody went somewhere: 0 for where they came in. */
  readonly moves: number;
  readonly go: (route: Route) => void;
  readonly hrefOf: (route: Route) => string;
}

/**
 * Follows the address.
 *
 * @param base - Where the page begins, such as `/desk/inbox`.
 */
export function useRoute(base: string): Navigation {
  const [place, setPlace] = useState({ path: location.pathname, moves: 0 });
  useEffect(() => {
    const onMove = () => setPlace(({ moves }) => ({ path: location.pathname, moves: moves + 1 }));
    addEventListener('popstate', onMove);
    return () => removeEventListener('popstate', onMove);
  }, []);
  const route = useMemo(() => routeOf(place.path.slice(base.length)), [place.path, base]);
  const list = useRef<Navigation['list']>('mine');
  if (route.name === 'mine' || route.name === 'open') list.current = route.name;
  const hrefOf = useCallback((wanted: Route) => `${base}${pathOf(wanted)}`, [base]);
  const go = useCallback(
    (wanted: Route) => {
      const path = hrefOf(wanted);
      if (path !== location.pathname) history.pushState(null, '', path);
      setPlace(({ moves }) => ({ path, moves: moves + 1 }));
    },
    [hrefOf],
  );
  return useMemo(
    () => ({ route, list: list.current, moves: place.moves, go, hrefOf }),
    [route, place.moves, go, hrefOf],
  );
}
