import type { ReactNode, Ref } from 'react';
import type { AnswerView, Hold, Vote } from '../client/types.ts';
import { PersonName } from '../shell/people.tsx';
import { Foreign } from '../text/foreign.tsx';
import { duration } from '../time/durations.ts';
import { Moment } from '../time/times.tsx';
import { quorumOf, saidWords } from './hold-words.ts';
import { Roles } from './requirement-text.tsx';

/** Who must agree, and who has said what. */
export function Votes({
  hold,
  answers,
  ref,
}: {
  readonly hold: Hold;
  readonly answers: readonly AnswerView[];
  readonly ref: Ref<HTMLElement>;
}): ReactNode {
  const { approvers, votes, decisionValidFor } = hold;
  const { needed, have } = quorumOf(hold);
  const isPlain = needed === 1 && approvers?.roles === undefined && decisionValidFor === undefined;
  if (isPlain && votes.length === 0) return null;
  return (
    <section ref={ref} tabIndex={-1} className="votes" aria-labelledby="votes-heading">
      <h2 id="votes-heading">Who must agree</h2>
      <p>
        {needed === 1 ? 'One person' : `${needed} people`}
        {approvers?.roles !== undefined && approvers.roles.length > 0 && (
          <>
            {' '}
            in the role <Roles roles={approvers.roles} />
          </>
        )}
        {approvers?.notRequester === true && ', and not whoever has asked for it'}.
        {hold.state === 'open' && needed > 1 && (
          <strong>
            {' '}
            {have} of {needed} so far.
          </strong>
        )}
        {hold.state === 'open' &&
          decisionValidFor !== undefined &&
          ` Once decided, the call must start within ${duration(decisionValidFor)}, or you are asked again.`}
      </p>
      {needed > 1 && (
        <meter className="quorum" aria-label="How many agree" min={0} max={needed} value={have} />
      )}
      <ul className="vote-list">
        {votes.map((vote) => (
          <VoteLine key={`${vote.by.id} ${vote.at} ${vote.kind}`} vote={vote} answers={answers} />
        ))}
      </ul>
    </section>
  );
}

function VoteLine({
  vote,
  answers,
}: {
  readonly vote: Vote;
  readonly answers: readonly AnswerView[];
}): ReactNode {
  const given = answers.find(({ by, at }) => by.id === vote.by.id && at === vote.at);
  const message =
    given !== undefined && 'message' in given.answer ? given.answer.message : undefined;
  return (
    <li className={vote.counts ? 'vote' : 'vote void'}>
      <span>
        <PersonName person={vote.by} /> {saidWords(vote.kind)}, <Moment at={vote.at} />.
      </span>
      {!vote.counts && <em> It was about something else, and does not count any more.</em>}
      {message !== undefined && (
        <p className="said">
          <Foreign text={message} />
        </p>
      )}
    </li>
  );
}
