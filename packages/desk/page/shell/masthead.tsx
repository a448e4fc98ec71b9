import type { ReactNode } from 'react';
import { useInbox } from './inbox-context.ts';
import { Link } from './link.tsx';
import { PersonName } from './people.tsx';
import type { Route } from './route.ts';

const PLACES: readonly {
  readonly to: Route;
  readonly label: string;
  readonly also: readonly Route['name'][];
}[] = [
  { to: { name: 'mine' }, label: 'For you', also: ['mine'] },
  { to: { name: 'open' }, label: 'All open', also: ['open'] },
  { to: { name: 'runs' }, label: 'Runs', also: ['runs', 'run', 'audit'] },
  { to: { name: 'grants' }, label: 'Grants', also: ['grants'] },
];

/** Where one can go, and who looks. */
export function Masthead({ onHelp }: { readonly onHelp: () => void }): ReactNode {
  const { navigation, me, client } = useInbox();
  const { route, list } = navigation;
  const here = route.name === 'hold' ? list : route.name;
  const signOut = async (path: string) => {
    await client.signOut(path);
    location.reload();
  };
  return (
    <header className="masthead">
      <span className="brand" aria-hidden="true">
        <svg viewBox="0 0 32 32" width="24" height="24">
          <path
            d="M6 8v16M26 8v16M6 16h7m6 0h7"
            fill="none"
            stroke="currentColor"
            strokeWidth="3"
            strokeLinecap="round"
          />
        </svg>
      </span>
      <nav aria-label="Places">
        <ul>
          {PLACES.map(({ to, label, also }) => (
            <li key={label}>
              <Link to={to} aria-current={also.includes(here) ? 'page' : undefined}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="masthead-end">
        {me !== undefined && (
          <span className="who">
            <PersonName person={me.person} />
          </span>
        )}
        {me?.signOut !== undefined && (
          <button type="button" className="quiet" onClick={() => void signOut(me.signOut ?? '')}>
            Sign out
          </button>
        )}
        <button type="button" className="quiet keys-button" onClick={onHelp}>
          <span aria-hidden="true">?</span>
          <span className="visually-hidden">Keys</span>
        </button>
      </div>
    </header>
  );
}
