/** What the page shows. */
export type Route =
  | { readonly name: 'mine' | 'open' | 'runs' | 'grants' | 'unknown' }
  | { readonly name: 'hold' | 'run' | 'audit'; readonly id: string };

/** What is at an address, from where the page begins: `/holds/…`. */
export function routeOf(path: string): Route {
  const [first = '', id = '', ...more] = path.split('/').filter((step) => step !== '');
  if (more.length > 0) return { name: 'unknown' };
  if (id === '') return LISTS.get(first) ?? { name: 'unknown' };
  const name = ITEMS.get(first);
  return name === undefined ? { name: 'unknown' } : { name, id: decoded(id) };
}

/** Where something is, from where the page begins. */
export function pathOf(route: Route): string {
  switch (route.name) {
    case 'mine':
    case 'unknown':
      return '';
    case 'open':
    case 'runs':
    case 'grants':
      return `/${route.name}`;
    case 'hold':
      return `/holds/${encodeURIComponent(route.id)}`;
    case 'run':
      return `/runs/${encodeURIComponent(route.id)}`;
    case 'audit':
      return `/audit/${encodeURIComponent(route.id)}`;
  }
}

const LISTS: ReadonlyMap<string, Route> = new Map([
  ['', { name: 'mine' }],
  ['open', { name: 'open' }],
  ['runs', { name: 'runs' }],
  ['grants', { name: 'grants' }],
]);

const ITEMS: ReadonlyMap<string, 'hold' | 'run' | 'audit'> = new Map([
  ['holds', 'hold'],
  ['runs', 'run'],
  ['audit', 'audit'],
]);

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
