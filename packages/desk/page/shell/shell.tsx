import { type ReactNode, useState } from 'react';
import { AuditPage } from '../audit/audit-page.tsx';
import { GrantsPage } from '../grants/grants-page.tsx';
import { RunListView } from '../runs/run-list.tsx';
import { RunPage } from '../runs/run-page.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { HoldDesk } from './hold-desk.tsx';
import { useInbox } from './inbox-context.ts';
import { KeysHelp } from './keys-help.tsx';
import { Masthead } from './masthead.tsx';
import { moveInList } from './move-in-list.ts';
import { PageHeading } from './page-heading.tsx';
import type { Route } from './route.ts';
import { useKeys } from './use-keys.ts';

/** The page around what is shown: where one can go, who looks, and how it is with the connection. */
export function Shell(): ReactNode {
  const { navigation } = useInbox();
  const [isHelping, setIsHelping] = useState(false);
  useKeys({
    j: () => moveInList(1),
    k: () => moveInList(-1),
    '/': () => document.querySelector<HTMLElement>('input[type=search]')?.focus(),
    '?': () => setIsHelping(true),
  });
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <Masthead onHelp={() => setIsHelping(true)} />
      <ConnectionBanner />
      <main>
        <View route={navigation.route} />
      </main>
      {isHelping && <KeysHelp onClose={() => setIsHelping(false)} />}
    </>
  );
}

function View({ route }: { readonly route: Route }): ReactNode {
  switch (route.name) {
    case 'mine':
    case 'open':
    case 'hold':
      return <HoldDesk />;
    default:
      return (
        <div id="content" className="one-pane" tabIndex={-1}>
          <OtherView route={route} />
        </div>
      );
  }
}

function OtherView({ route }: { readonly route: Route }): ReactNode {
  switch (route.name) {
    case 'runs':
      return <RunListView />;
    case 'run':
      return <RunPage key={route.id} id={route.id} />;
    case 'audit':
      return <AuditPage key={route.id} id={route.id} />;
    case 'grants':
      return <GrantsPage />;
    default:
      return <PageHeading title="There is nothing here" />;
  }
}
