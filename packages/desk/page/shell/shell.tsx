import { type ReactNode, useState } from 'react';
import { AuditPage } from '../audit/audit-page.tsx';
import { DelegationsPage } from '../delegations/delegations-page.tsx';
import { GrantsPage } from '../grants/grants-page.tsx';
import { HoldDesk } from '../holds/hold-desk.tsx';
import { RunList } from '../runs/run-list.tsx';
import { RunPage } from '../runs/run-page.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { useInbox } from './inbox-context.ts';
import { useShortcuts } from './keyboard.ts';
import { Link } from './link.tsx';
import { Masthead } from './masthead.tsx';
import { PageHeading } from './page-heading.tsx';
import type { Route } from './route.ts';
import { ShortcutsHelp } from './shortcuts-help.tsx';

/** The frame around every view. */
export function Shell(): ReactNode {
  const { navigation } = useInbox();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  useShortcuts({ '?': () => setIsHelpOpen(true) });
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <Masthead onHelp={() => setIsHelpOpen(true)} />
      <ConnectionBanner />
      <main>
        <View route={navigation.route} />
      </main>
      {isHelpOpen && <ShortcutsHelp onClose={() => setIsHelpOpen(false)} />}
    </>
  );
}

function View({ route }: { readonly route: Route }): ReactNode {
  if (route.name === 'mine' || route.name === 'open' || route.name === 'hold') return <HoldDesk />;
  return (
    <div id="content" className="one-pane" tabIndex={-1}>
      {route.name === 'runs' && <RunList />}
      {route.name === 'run' && <RunPage key={route.id} id={route.id} />}
      {route.name === 'audit' && <AuditPage key={route.id} id={route.id} />}
      {route.name === 'grants' && <GrantsPage />}
      {route.name === 'delegations' && <DelegationsPage />}
      {route.name === 'unknown' && <NotFound />}
    </div>
  );
}

function NotFound(): ReactNode {
  return (
    <section className="not-found">
      <PageHeading title="Page not found" />
      <p>The inbox has no page at this address.</p>
      <p>
        <Link to={{ name: 'mine' }} className="button primary">
          Open the holds that wait for you
        </Link>
      </p>
    </section>
  );
}
