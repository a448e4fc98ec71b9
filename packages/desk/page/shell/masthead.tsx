import { type ReactNode, useEffect, useRef, useState } from 'react';
import { discardDrafts } from '../decision/stored-draft.ts';
import { UntrustedLine } from '../text/untrusted.tsx';
import { useInbox } from './inbox-context.ts';
import { suspendShortcuts } from './keyboard.ts';
import { Link } from './link.tsx';
import { PersonName } from './people.tsx';
import type { Route } from './route.ts';

const VIEWS: readonly {
  readonly to: Route;
  readonly label: string;
  readonly routes: readonly Route['name'][];
}[] = [
  { to: { name: 'mine' }, label: 'For you', routes: ['mine'] },
  { to: { name: 'open' }, label: 'All open', routes: ['open'] },
  { to: { name: 'runs' }, label: 'Runs', routes: ['runs', 'run', 'audit'] },
  { to: { name: 'grants' }, label: 'Grants', routes: ['grants'] },
];

/** The head of the page: the views, and a menu behind the name of the signed-in person. */
export function Masthead({ onHelp }: { readonly onHelp: () => void }): ReactNode {
  const { navigation } = useInbox();
  const { route, list } = navigation;
  const current = route.name === 'hold' ? list : route.name;
  return (
    <header className="masthead">
      <Brand />
      <PersonMenu onHelp={onHelp} />
      <nav aria-label="Views">
        <ul>
          {VIEWS.map(({ to, label, routes }) => (
            <li key={label}>
              <Link to={to} aria-current={routes.includes(current) ? 'page' : undefined}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  );
}

/** The logo and the name of the product. */
export function Brand(): ReactNode {
  return (
    <span className="brand">
      <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
        <path
          d="M6 8v16M26 8v16M6 16h7m6 0h7"
          fill="none"
          stroke="currentColor"
          strokeWidth="3"
          strokeLinecap="round"
        />
      </svg>
      Holdpoint
    </span>
  );
}

function PersonMenu({ onHelp }: { readonly onHelp: () => void }): ReactNode {
  const { me, client, navigation } = useInbox();
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => (isOpen ? suspendShortcuts() : undefined), [isOpen]);
  if (me === undefined) return null;
  const { person } = me;
  const signOut = async (path: string) => {
    discardDrafts();
    await client.signOut(path);
    location.reload();
  };
  return (
    <div className="person-menu">
      <button type="button" className="quiet" popoverTarget="person-menu">
        <span className="person-menu-name">
          <UntrustedLine text={person.name ?? person.id} max={60} />
        </span>
        <span className="visually-hidden"> (menu)</span>
        <span aria-hidden="true">▾</span>
      </button>
      <div
        ref={menu}
        id="person-menu"
        popover="auto"
        className="menu"
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
      >
        <p>
          Signed in as <PersonName person={person} />
        </p>
        <button
          type="button"
          className="quiet"
          onClick={() => {
            menu.current?.hidePopover();
            navigation.go({ name: 'delegations' });
          }}
        >
          Delegations
        </button>
        <button
          type="button"
          className="quiet"
          onClick={() => {
            menu.current?.hidePopover();
            onHelp();
          }}
        >
          Keyboard shortcuts
        </button>
        {me.signOut !== undefined && (
          <button type="button" className="quiet" onClick={() => void signOut(me.signOut ?? '')}>
            Sign out
          </button>
        )}
      </div>
    </div>
  );
}
