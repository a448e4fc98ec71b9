import type { ReactNode } from 'react';
import type { Hold } from '../client/types.ts';
import { warningsOf } from '../holds/warnings-of.ts';
import { Dialog } from '../shell/dialog.tsx';
import { ForeignLine } from '../text/foreign.tsx';
import { lineOf } from '../values/json-text.ts';

/** Asks once more, for those who came by a key, and where there is a warning. */
export function ConfirmApproval({
  hold,
  isDisabled,
  blocked,
  onConfirm,
  onCancel,
}: {
  readonly hold: Hold;
  readonly isDisabled: boolean;
  /** Why it cannot be approved now. */
  readonly blocked?: string | undefined;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}): ReactNode {
  const isAgain = hold.inDoubt !== undefined && hold.proposed === undefined;
  const question = isAgain ? 'Execute this call again?' : 'Approve this call?';
  return (
    <Dialog label={question} onClose={onCancel}>
      <h2>{question}</h2>
      <p className="preview-text">
        <ForeignLine text={lineOf(hold.edit?.args ?? hold.preview ?? hold.args)} most={400} />
      </p>
      {warningsOf(hold).map(({ chip, text }) => (
        <p key={chip} className="notice warning">
          {text}
        </p>
      ))}
      {blocked !== undefined && (
        <p className="blocked" role="alert">
          {blocked}
        </p>
      )}
      <div className="answer-buttons">
        <button type="button" onClick={onCancel}>
          Back
        </button>
        <button
          type="button"
          className="approve"
          data-focus
          disabled={isDisabled}
          onClick={onConfirm}
        >
          {isAgain ? 'Yes, execute it again' : 'Yes, approve'}
        </button>
      </div>
    </Dialog>
  );
}
