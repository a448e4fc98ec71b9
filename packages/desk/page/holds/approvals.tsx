import type { ReactNode, Ref } from 'react';
import type { DecisionView, EditPreview, Hold, Vote } from '../client/types.ts';
import { PersonName } from '../shell/people.tsx';
import { UntrustedLine, UntrustedText } from '../text/untrusted.tsx';
import { formatDuration } from '../time/durations.ts';
import { Moment } from '../time/times.tsx';
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
    required === 1 && approvers?.roles === undefined && decisionValidFor === undefined;
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
        <PersonName person={vote.by} /> {decisionText(vote)}, <Moment at={vote.at} />.
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
  requirement: { count = 1, roles = [], notRequester = false },
}: {
  readonly requirement: Pick<
    NonNullable<EditPreview['requirement']>,
    'count' | 'roles' | 'notRequester'
  >;
}): ReactNode {
  return (
    <>
      {count === 1 ? '1 approval' : `${count} approvals`}
      {roles.length > 0 && (
        <>
          {' '}
          by the role{' '}
          {roles.map((role, index) => (
            <span key={role}>
              {index > 0 && ' or '}
              <b>
                <UntrustedLine text={role} max={80} />
              </b>
            </span>
          ))}
        </>
      )}
      {notRequester && ', not by the requester'}.
    </>
  );
}
