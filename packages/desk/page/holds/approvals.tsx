import type { ReactNode, Ref } from 'react';
import type { DecisionView, EditPreview, Hold, Vote } from '../client/types.ts';
import { PersonName } from '../shell/people.tsx';
import { UntrustedLine, UntrustedText } from '../text/untrusted.tsx';
import { formatDuration } from '../time/durations.ts';
import { Moment, TimeUntil } from '../time/times.tsx';
import { approvalsOf, decisionText } from './hold-text.ts';

/** The approvals that a hold requires, and the votes so far. */
export function ApprovalsSection({
  hold,
  decisions,
  ref,
}: {
  readonly hold: Hold;
  readonly decisions: readonly DecisionView[];
  readonly ref: Ref<HTMLElement>;
}): ReactNode {
  const { approvers, votes, decisionValidFor } = hold;
  const { required, given } = approvalsOf(hold);
  const isPlain =
    required === 1 &&
    approvers?.roles === undefined &&
    approvers?.people === undefined &&
    decisionValidFor === undefined;
  if (isPlain && votes.length === 0) return null;
  return (
    <section ref={ref} tabIndex={-1} className="approvals" aria-labelledby="approvals-heading">
      <h2 id="approvals-heading">Approvals required</h2>
      <p>
        <RequirementText requirement={approvers ?? { count: required, notRequester: false }} />
        {hold.state === 'open' && required > 1 && (
          <strong>
            {' '}
            {given} of {required} approvals.
          </strong>
        )}
        {hold.state === 'open' &&
          decisionValidFor !== undefined &&
          ` After the approval, the call must start within ${formatDuration(decisionValidFor)}.`}
      </p>
      {hold.state === 'open' && <EscalationList steps={hold.escalation ?? []} />}
      {required > 1 && (
        <meter
          className="approvals-meter"
          aria-label="Approvals"
          min={0}
          max={required}
          value={given}
        />
      )}
      <ul className="vote-list">
        {votes.map((vote) => (
          <VoteView
            key={`${vote.by.id} ${vote.at} ${vote.kind}`}
            vote={vote}
            decision={decisions.find(({ by, at }) => by.id === vote.by.id && at === vote.at)}
          />
        ))}
      </ul>
    </section>
  );
}

function VoteView({
  vote,
  decision,
}: {
  readonly vote: Vote;
  readonly decision: DecisionView | undefined;
}): ReactNode {
  return (
    <li className={vote.counts ? 'vote' : 'vote void'}>
      <span>
        <PersonName person={vote.by} />
        {vote.onBehalfOf !== undefined && (
          <>
            {', on behalf of '}
            <PersonName person={vote.onBehalfOf} />,
          </>
        )}{' '}
        {decisionText(vote)}, <Moment at={vote.at} />.
      </span>
      {!vote.counts && <em> The call has changed since, so this does not count any more.</em>}
      {decision !== undefined && <DecisionMessage decision={decision.decision} />}
    </li>
  );
}

/** The reason or message of a decision. */
export function DecisionMessage({
  decision,
}: {
  readonly decision: DecisionView['decision'];
}): ReactNode {
  const text =
    'message' in decision ? decision.message : 'reason' in decision ? decision.reason : undefined;
  if (text === undefined) return null;
  return (
    <p className="quote">
      <UntrustedText text={text} />
    </p>
  );
}

/** The approvals that a call requires, as a sentence. */
export function RequirementText({
  requirement: { count = 1, roles = [], people = [], notRequester = false },
}: {
  readonly requirement: Pick<
    NonNullable<EditPreview['requirement']>,
    'count' | 'roles' | 'people' | 'notRequester'
  >;
}): ReactNode {
  return (
    <>
      {count === 1 ? '1 approval' : `${count} approvals`}
      {roles.length > 0 && (
        <>
          {' '}
          by the role <Names names={roles} />
        </>
      )}
      {people.length > 0 && (
        <>
          {roles.length > 0 ? ' or by ' : ' by '}
          <Names names={people} />
        </>
      )}
      {notRequester && ', not by the requester'}.
    </>
  );
}

/** The steps of escalation that add approvers later. Reached steps are a part of the requirement. */
function EscalationList({ steps }: { readonly steps: NonNullable<Hold['escalation']> }): ReactNode {
  const later = steps.filter(({ isReached }) => !isReached);
  if (later.length === 0) return null;
  return (
    <ul className="vote-list" aria-label="Escalation">
      {later.map(({ at, roles = [], people = [] }, index) => (
        // The list only gets shorter, and two steps may be at the same time.
        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity
        <li key={`${at} ${index}`}>
          <TimeUntil at={at} /> also <Names names={[...roles, ...people]} />.
        </li>
      ))}
    </ul>
  );
}

/** Names of roles or ids of people, with `or` between them. */
function Names({ names }: { readonly names: readonly string[] }): ReactNode {
  return names.map((name, index) => (
    <span key={name}>
      {index > 0 && ' or '}
      <b>
        <UntrustedLine text={name} max={80} />
      </b>
    </span>
  ));
}
