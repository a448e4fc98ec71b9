import type { ReactNode, Ref } from 'react';
import type { AnswerView, Hold } from '../client/types.ts';
import { PersonName } from '../shell/people.tsx';
import { Foreign } from '../text/foreign.tsx';
import { Moment } from '../time/times.tsx';
import { JsonBlock } from '../values/value-tabs.tsx';
import { outcomeWords, saidWords } from './hold-words.ts';
import { NextHold } from './next-hold.tsx';

/** How a hold was settled, by whom, and what they said. */
export function Outcome({
  hold,
  answers,
  ref,
}: {
  readonly hold: Hold;
  readonly answers: readonly AnswerView[];
  readonly ref: Ref<HTMLDivElement>;
}): ReactNode {
  const last = hold.outcome === 'decided' ? answers.at(-1) : undefined;
  return (
    <div ref={ref} className={`notice outcome ${toneOf(hold, last)}`} tabIndex={-1}>
      {last === undefined ? (
        <p>{outcomeWords(hold)}</p>
      ) : (
        <>
          <p>
            <PersonName person={last.by} /> {saidWords(last.answer.kind)}, <Moment at={last.at} />.
          </p>
          <Said answer={last.answer} />
        </>
      )}
      <NextHold after={hold.id} />
    </div>
  );
}

function Said({ answer }: { readonly answer: AnswerView['answer'] }): ReactNode {
  if (answer.kind === 'edit') return <JsonBlock value={answer.args} />;
  if (answer.kind === 'result') return <JsonBlock value={answer.value} />;
  if (answer.kind === 'approve' || answer.message === undefined) return null;
  return (
    <p className="said">
      <Foreign text={answer.message} />
    </p>
  );
}

/** Whether the call was let run, was not, or nobody has said anything. */
function toneOf({ outcome }: Hold, last: AnswerView | undefined): string {
  if (outcome !== 'decided') return 'nobody';
  return last?.answer.kind === 'deny' || last?.answer.kind === 'fail' ? 'denied' : '';
}
