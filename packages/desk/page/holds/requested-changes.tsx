import type { ReactNode } from 'react';
import { useRequestedChanges } from '../client/queries.ts';
import type { Hold, RequestedChanges } from '../client/types.ts';
import { Link } from '../shell/link.tsx';
import { PersonName } from '../shell/people.tsx';
import { UntrustedText } from '../text/untrusted.tsx';
import { Moment } from '../time/times.tsx';

/** The changes that approvers requested about a hold and earlier calls of its tool, with the agent's responses. */
export function RequestedChangesSection({ hold }: { readonly hold: Hold }): ReactNode {
  const { data } = useRequestedChanges(hold);
  if (data === undefined || data.items.length === 0) return null;
  return (
    <section className="requested-changes" aria-labelledby="requested-changes-heading">
      <h2 id="requested-changes-heading">Requested changes</h2>
      <ul className="vote-list">
        {data.items.map((one) => (
          <li key={one.holdId}>
            <PersonName person={one.by} />
            {one.onBehalfOf !== undefined && (
              <>
                {', on behalf of '}
                <PersonName person={one.onBehalfOf} />,
              </>
            )}{' '}
            requested changes, <Moment at={one.at} />.
            <p className="quote">
              <UntrustedText text={one.message} />
            </p>
            <Response changes={one} hold={hold} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Response({
  changes: { response },
  hold,
}: {
  readonly changes: RequestedChanges;
  readonly hold: Hold;
}): ReactNode {
  if (response === undefined) {
    // The history of a sub-agent is not a part of the conversation.
    return hold.path.length > 0 ? null : <p>The agent has not responded yet.</p>;
  }
  const others = response.holdIds.filter((id) => id !== hold.id);
  return (
    <>
      <p>
        {response.text === undefined
          ? 'The agent responded without a text.'
          : 'The agent responded:'}
      </p>
      {response.text !== undefined && (
        <p className="quote">
          <UntrustedText text={response.text} />
        </p>
      )}
      {others.map((id) => (
        <p key={id}>
          <Link to={{ name: 'hold', id }}>Open the new call</Link>
        </p>
      ))}
    </>
  );
}
