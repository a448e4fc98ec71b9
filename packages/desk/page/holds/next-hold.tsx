import { type ReactNode, useEffect, useState } from 'react';
import type { Hold } from '../client/types.ts';
import { useInbox } from '../shell/inbox-context.ts';
import { Link } from '../shell/link.tsx';
import { ForeignLine } from '../text/foreign.tsx';
import { lineOf } from '../values/json-text.ts';

/** The next that waits for whoever looks, once one is settled. */
export function NextHold({ after }: { readonly after: string }): ReactNode {
  const { client } = useInbox();
  const [next, setNext] = useState<Hold | 'none'>();
  useEffect(() => {
    let isWanted = true;
    client.holds({ mine: true, limit: 2 }).then(
      ({ items }) => isWanted && setNext(items.find(({ id }) => id !== after) ?? 'none'),
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [client, after]);
  if (next === undefined) return null;
  if (next === 'none') return <p className="next">Nothing else waits for you.</p>;
  return (
    <p className="next">
      <Link to={{ name: 'hold', id: next.id }}>
        <span>
          Next:{' '}
          <ForeignLine text={lineOf(next.edit?.args ?? next.preview ?? next.args)} most={80} />
        </span>
      </Link>
    </p>
  );
}
