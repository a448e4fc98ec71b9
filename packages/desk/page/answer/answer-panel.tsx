import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { Hold, Remember } from '../client/types.ts';
import { warningsOf } from '../holds/warnings-of.ts';
import { useKeys } from '../shell/use-keys.ts';
import { ForeignLine } from '../text/foreign.tsx';
import type { FormAnswer } from './answer-form.ts';
import { ConfirmApproval } from './confirm-approval.tsx';
import { DenyForm } from './deny-form.tsx';
import { EditForm } from './edit-form.tsx';
import { RefusalNotice } from './refusal-notice.tsx';
import { RememberChoice } from './remember-choice.tsx';
import { ResultForm } from './result-form.tsx';
import type { AnswerSender } from './use-answer.ts';
import { useBlocked } from './use-blocked.ts';

/** What somebody is about to say. */
type Mode = 'approve' | 'deny' | 'edit' | 'result';

/** The answers that can be given to a hold. */
export function AnswerPanel({
  hold,
  isChanged,
  sender,
  onEditing,
}: {
  readonly hold: Hold;
  /** Whether somebody has changed it, and whoever looks has not said that they have seen it. */
  readonly isChanged: boolean;
  readonly sender: AnswerSender;
  /** Called when the form of an edit opens or closes. */
  readonly onEditing: (isEditing: boolean) => void;
}): ReactNode {
  const [mode, setMode] = useState<Mode>();
  const [remember, setRemember] = useState<Remember>();
  const { isSending, refusal, send } = sender;
  const { blocked, mayNot } = useBlocked(hold, isChanged);
  const isDisabled = blocked !== undefined || isSending;
  useEffect(() => onEditing(mode === 'edit'), [mode, onEditing]);
  const close = useCallback(() => setMode(undefined), []);
  const approve = async () => {
    if (isDisabled) return;
    setMode(undefined);
    const answer = { kind: 'approve' } as const;
    await send({ answer, digest: hold.digest, ...(remember && { remember }) });
  };
  // What was typed is kept until the desk has taken it.
  const say = async (said: FormAnswer) => {
    if (isDisabled) return false;
    const isTaken = await send({ ...said, digest: hold.digest });
    if (isTaken) setMode(undefined);
    return isTaken;
  };

  const answers = answersFor(hold);
  const open = (wanted: Mode) => () => answers.has(wanted) && !isDisabled && setMode(wanted);
  useKeys(
    mayNot === undefined && mode === undefined
      ? { a: open('approve'), d: open('deny'), e: open('edit'), r: open('result') }
      : {},
  );
  if (mayNot !== undefined) {
    return (
      <section className="answer" aria-label="Your answer">
        <p className="notice">
          <ForeignLine text={mayNot} most={400} />
        </p>
      </section>
    );
  }
  const forms = { isDisabled, blocked, onCancel: close, onSay: say };
  return (
    <section className="answer" aria-label="Your answer">
      {refusal !== undefined && <RefusalNotice refusal={refusal} />}
      {mode === 'deny' && <DenyForm {...forms} />}
      {mode === 'edit' && <EditForm hold={hold} {...forms} />}
      {mode === 'result' && <ResultForm {...forms} />}
      {(mode === undefined || mode === 'approve') && (
        <>
          {answers.has('approve') && (
            <RememberChoice hold={hold} value={remember} onChange={setRemember} />
          )}
          {hold.mine.hasVoted && (
            <p>
              You have agreed to this. Others have to agree as well; until then you can still change
              it.
            </p>
          )}
          {blocked !== undefined && (
            <p className="blocked" id="blocked-why">
              {blocked}
            </p>
          )}
          <AnswerButtons
            hold={hold}
            isDisabled={isDisabled}
            isSending={isSending}
            describedBy={blocked === undefined ? undefined : 'blocked-why'}
            answers={answers}
            onOpen={setMode}
            onApprove={() => void approve()}
          />
        </>
      )}
      {mode === 'approve' && (
        <ConfirmApproval
          hold={hold}
          isDisabled={isDisabled}
          blocked={blocked}
          onConfirm={() => void approve()}
          onCancel={close}
        />
      )}
    </section>
  );
}

function AnswerButtons({
  hold,
  isDisabled,
  isSending,
  describedBy,
  answers,
  onOpen,
  onApprove,
}: {
  readonly hold: Hold;
  readonly isDisabled: boolean;
  readonly isSending: boolean;
  /** The id of the text that says why the buttons are disabled. */
  readonly describedBy: string | undefined;
  readonly answers: ReadonlySet<Mode>;
  readonly onOpen: (mode: Mode) => void;
  readonly onApprove: () => void;
}): ReactNode {
  const button = {
    type: 'button',
    disabled: isDisabled,
    'aria-describedby': describedBy,
  } as const;
  const needsCare = warningsOf(hold).length > 0;
  // A call in doubt may have had its effect: the result is to be found out and recorded.
  const isResultFirst = answers.has('result') && hold.proposed === undefined;
  const approveButton = answers.has('approve') && (
    <button
      {...button}
      className={isResultFirst ? undefined : 'approve'}
      onClick={needsCare ? () => onOpen('approve') : onApprove}
    >
      {isSending ? 'Sending …' : approveLabel(hold)}
      {needsCare && ' …'}
    </button>
  );
  return (
    <div className="answer-buttons">
      {answers.has('deny') && (
        <button {...button} className="deny" onClick={() => onOpen('deny')}>
          Deny …
        </button>
      )}
      {answers.has('edit') && (
        <button {...button} onClick={() => onOpen('edit')}>
          Edit …
        </button>
      )}
      {isResultFirst && approveButton}
      {answers.has('result') && (
        <button
          {...button}
          className={isResultFirst ? 'approve' : undefined}
          onClick={() => onOpen('result')}
        >
          Record result …
        </button>
      )}
      {!isResultFirst && approveButton}
    </div>
  );
}

/** What can be said to a hold: a call in doubt takes every answer, and what was proposed can be agreed to. */
function answersFor({ kind, inDoubt, mine, proposed }: Hold): ReadonlySet<Mode> {
  const answers = new Set<Mode>();
  if (kind === 'approval' || inDoubt !== undefined) answers.add('deny').add('edit');
  if (kind === 'external' || inDoubt !== undefined) answers.add('result');
  const canAgree = kind === 'approval' || inDoubt !== undefined || proposed !== undefined;
  if (canAgree && !mine.hasVoted) answers.add('approve');
  return answers;
}

/** What an approval is called. */
function approveLabel({ inDoubt, proposed, edit }: Hold): string {
  if (proposed !== undefined) return 'Agree to this';
  if (inDoubt !== undefined) return 'Execute again';
  return edit === undefined ? 'Approve' : 'Approve as changed';
}
