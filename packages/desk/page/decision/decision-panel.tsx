import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { DecisionBody, GrantRequest, Hold } from '../client/types.ts';
import { summaryOf, warningsOf } from '../holds/hold-text.ts';
import { useConnection } from '../live/live-updates.ts';
import { Dialog } from '../shell/dialog.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { useShortcuts } from '../shell/keyboard.ts';
import { UntrustedLine } from '../text/untrusted.tsx';
import { useNow } from '../time/clock.ts';
import { toMs } from '../time/times.tsx';
import { ActingAs, actingFor } from './acting-as.tsx';
import { RequestChangesForm } from './changes-form.tsx';
import { EditForm } from './edit-form.tsx';
import { DenyForm, ResultForm } from './forms.tsx';
import { GrantChoice } from './grant-choice.tsx';
import { RejectionNotice } from './rejection.tsx';
import { RespondForm } from './respond-form.tsx';
import { type FormName, type HoldDraft, useStoredDraft } from './stored-draft.ts';
import type { DecisionSender } from './use-decision.ts';

type Action = 'approve' | FormName;

/** The actions that an approver can take on a hold, and their forms. */
export function DecisionPanel({
  hold,
  isReplaced,
  isRead,
  onRead,
  sender,
  onEditing,
}: {
  readonly hold: Hold;
  /** True if another approver changed the call and this one has not confirmed that they have seen it. */
  readonly isReplaced: boolean;
  /** True once the arguments have been on screen. */
  readonly isRead: boolean;
  /** Scrolls to the arguments. */
  readonly onRead: () => void;
  readonly sender: DecisionSender;
  /** Called when the edit form opens or closes. */
  readonly onEditing: (isEditing: boolean) => void;
}): ReactNode {
  const { me } = useInbox();
  const [draft, setDraft, discardDraft] = useStoredDraft(me, hold.id);
  const [isConfirming, setIsConfirming] = useState(false);
  const [grant, setGrant] = useState<GrantRequest>();
  const [chosen, setChosen] = useState<string>();
  const blocked = useBlocked(hold, isReplaced);
  const { isSending, error } = sender;
  const onBehalfOf = actingFor(hold.viewer, chosen);
  const send = (body: DecisionBody) =>
    sender.send({ ...body, ...(onBehalfOf !== undefined && { onBehalfOf }) });
  const { form } = draft;
  const change = (changed: HoldDraft) => setDraft({ ...draft, ...changed });
  useEffect(() => onEditing(form === 'edit'), [form, onEditing]);

  const actions = actionsFor(hold);
  const canAct = blocked === undefined && !isSending;
  const start = (action: Action) => {
    if (!actions.has(action) || !canAct) return;
    if (!isRead) return onRead();
    if (action === 'approve') setIsConfirming(true);
    else change({ form: action });
  };
  useShortcuts(
    form === undefined && hold.viewer.mayDecide
      ? {
          a: () => start('approve'),
          d: () => start('deny'),
          c: () => start('changes'),
          e: () => start('edit'),
          r: () => start(actions.has('respond') ? 'respond' : 'result'),
        }
      : {},
  );
  if (!hold.viewer.mayDecide) {
    return (
      <section className="decision" aria-label="Your decision">
        <p className="notice">
          <UntrustedLine text={hold.viewer.reason ?? 'You may not decide this hold.'} max={400} />
        </p>
      </section>
    );
  }
  const approve = async () => {
    setIsConfirming(false);
    await send({
      decision: { kind: 'approve' },
      digest: hold.digest,
      ...(grant && onBehalfOf === undefined && { grant }),
    });
  };
  const sendForm = async (body: Pick<DecisionBody, 'decision' | 'shown'>) => {
    if (!canAct) return false;
    const isRecorded = await send({ ...body, digest: hold.digest });
    if (isRecorded) discardDraft();
    return isRecorded;
  };
  const forms = {
    blocked,
    isSending,
    onCancel: () => change({ form: undefined }),
    onSend: sendForm,
  };
  return (
    <>
      {error !== null && <RejectionNotice error={error} />}
      <ActingAs viewer={hold.viewer} value={onBehalfOf} onChange={setChosen} />
      {form === undefined && onBehalfOf === undefined && actions.has('approve') && (
        <GrantChoice hold={hold} value={grant} onChange={setGrant} />
      )}
      {form === undefined && hold.viewer.hasVoted && (
        <p>
          You, or a delegate of yours, approved this call. It needs more approvals; you can still
          change your decision.
        </p>
      )}
      <section
        className={form === undefined ? 'decision decision-bar' : 'decision'}
        aria-label="Your decision"
      >
        {form === 'deny' && (
          <DenyForm
            isQuestion={hold.kind === 'question'}
            reasons={me?.denyReasons ?? []}
            reason={draft.reason ?? ''}
            onChange={(reason) => change({ reason })}
            {...forms}
          />
        )}
        {form === 'changes' && (
          <RequestChangesForm
            message={draft.changes ?? ''}
            onChange={(changes) => change({ changes })}
            {...forms}
          />
        )}
        {form === 'edit' && (
          <EditForm
            hold={hold}
            draft={draft.args}
            onChange={(args) => change({ args })}
            {...forms}
          />
        )}
        {form === 'respond' && hold.question !== undefined && (
          <RespondForm
            question={hold.question}
            draft={draft.response}
            onChange={(response) => change({ response })}
            {...forms}
          />
        )}
        {form === 'result' && (
          <ResultForm
            title={resultLabel(hold)}
            draft={draft.result}
            onChange={(result) => change({ result })}
            {...forms}
          />
        )}
        {form === undefined && blocked !== undefined && (
          <p className="blocked" id="blocked-reason">
            {blocked}
          </p>
        )}
        {form === undefined &&
          (isRead ? (
            <ActionButtons
              hold={hold}
              actions={actions}
              isDisabled={!canAct}
              isSending={isSending}
              describedBy={blocked === undefined ? undefined : 'blocked-reason'}
              onStart={start}
              onApprove={() => void approve()}
            />
          ) : (
            <button type="button" className="read-first" onClick={onRead}>
              Read all arguments to decide <span aria-hidden="true">↓</span>
            </button>
          ))}
      </section>
      {isConfirming && (
        <ConfirmApproval
          hold={hold}
          isDisabled={!canAct}
          blocked={blocked}
          onConfirm={() => void approve()}
          onCancel={() => setIsConfirming(false)}
        />
      )}
    </>
  );
}

/** Returns the reason why a hold cannot be decided now. */
function useBlocked({ expiresAt }: Hold, isReplaced: boolean): string | undefined {
  const connection = useConnection();
  const now = useNow(1_000);
  if (isReplaced) return 'The call has changed. Review the change first.';
  if (connection === 'lost') {
    return 'No connection to the desk. You can decide when it is restored.';
  }
  if (expiresAt !== undefined && toMs(expiresAt) <= now) return 'This hold has expired.';
  return undefined;
}

function ActionButtons({
  hold,
  actions,
  isDisabled,
  isSending,
  describedBy,
  onStart,
  onApprove,
}: {
  readonly hold: Hold;
  readonly actions: ReadonlySet<Action>;
  readonly isDisabled: boolean;
  readonly isSending: boolean;
  /** The id of the text that states why the buttons are disabled. */
  readonly describedBy: string | undefined;
  readonly onStart: (action: Action) => void;
  readonly onApprove: () => void;
}): ReactNode {
  const common = {
    type: 'button',
    disabled: isDisabled,
    'aria-describedby': describedBy,
  } as const;
  const needsConfirmation = warningsOf(hold).length > 0;
  // A call in doubt may have taken effect: executing it again is not the main action.
  const isResultFirst = actions.has('result') && hold.proposed === undefined;
  return (
    <div className="form-buttons">
      {actions.has('deny') && (
        <button {...common} className="deny" onClick={() => onStart('deny')}>
          {actions.has('respond') ? 'Decline …' : 'Deny …'}
        </button>
      )}
      {actions.has('changes') && (
        <button {...common} onClick={() => onStart('changes')}>
          Request changes …
        </button>
      )}
      {actions.has('edit') && (
        <button {...common} onClick={() => onStart('edit')}>
          Edit …
        </button>
      )}
      {actions.has('approve') && (
        <button
          {...common}
          className={isResultFirst ? undefined : 'primary'}
          onClick={needsConfirmation ? () => onStart('approve') : onApprove}
        >
          {isSending ? 'Sending …' : approveLabel(hold)}
          {needsConfirmation && ' …'}
        </button>
      )}
      {actions.has('respond') && (
        <button
          {...common}
          className={hold.proposed === undefined ? 'primary' : undefined}
          onClick={() => onStart('respond')}
        >
          Respond …
        </button>
      )}
      {actions.has('result') && (
        <button
          {...common}
          className={isResultFirst ? 'primary' : undefined}
          onClick={() => onStart('result')}
        >
          {resultLabel(hold)} …
        </button>
      )}
    </div>
  );
}

/** A call in doubt accepts every decision; its result form requests changes. A proposal can be approved. A question accepts an input, or is declined. */
function actionsFor({ kind, inDoubt, viewer, proposed }: Hold): ReadonlySet<Action> {
  const actions = new Set<Action>();
  const isQuestion = kind === 'question';
  const isApproval = kind === 'approval' || (inDoubt !== undefined && !isQuestion);
  if (isQuestion) actions.add('deny').add('respond');
  if (isApproval) actions.add('deny').add('edit');
  if (kind === 'approval' && inDoubt === undefined) actions.add('changes');
  if (kind === 'external' || (inDoubt !== undefined && !isQuestion)) actions.add('result');
  const mayApprove = viewer.mayApprove ?? !viewer.hasVoted;
  if ((isApproval || proposed !== undefined) && mayApprove) actions.add('approve');
  return actions;
}

function approveLabel({ inDoubt, proposed, edit }: Hold): string {
  if (proposed !== undefined) return 'Approve the proposal';
  if (inDoubt !== undefined) return 'Execute again';
  return edit === undefined ? 'Approve' : 'Approve as edited';
}

function resultLabel({ inDoubt }: Hold): string {
  return inDoubt === undefined ? 'Record result' : 'Record what happened';
}

/** Asks for confirmation: after a shortcut, or if the call has warnings. */
function ConfirmApproval({
  hold,
  isDisabled,
  blocked,
  onConfirm,
  onCancel,
}: {
  readonly hold: Hold;
  readonly isDisabled: boolean;
  readonly blocked: string | undefined;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}): ReactNode {
  const confirm = useRef<HTMLButtonElement>(null);
  const isAgain = hold.inDoubt !== undefined && hold.proposed === undefined;
  const question = isAgain ? 'Execute this call again?' : 'Approve this call?';
  return (
    <Dialog label={question} focus={confirm} onClose={onCancel}>
      <h2>{question}</h2>
      <p className="preview-text">
        <UntrustedLine text={summaryOf(hold)} max={400} />
      </p>
      {warningsOf(hold).map(({ label, text }) => (
        <p key={label} className="notice warning">
          {text}
        </p>
      ))}
      {blocked !== undefined && (
        <p className="blocked" role="alert">
          {blocked}
        </p>
      )}
      <div className="form-buttons">
        <button type="button" onClick={onCancel}>
          Back
        </button>
        <button
          ref={confirm}
          type="button"
          className="primary"
          disabled={isDisabled}
          onClick={onConfirm}
        >
          {isAgain ? 'Execute again' : 'Approve'}
        </button>
      </div>
    </Dialog>
  );
}
