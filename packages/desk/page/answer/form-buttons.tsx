import type { ReactNode } from 'react';

/** The end of a form: why it cannot be sent, if so, and two buttons. */
export function FormButtons({
  label,
  className,
  isDisabled,
  blocked,
  onCancel,
}: {
  readonly label: string;
  readonly className: 'approve' | 'deny';
  readonly isDisabled: boolean;
  readonly blocked?: string | undefined;
  readonly onCancel: () => void;
}): ReactNode {
  return (
    <>
      {blocked !== undefined && <p className="blocked">{blocked}</p>}
      <div className="answer-buttons">
        <button type="button" onClick={onCancel}>
          Back
        </button>
        <button type="submit" className={className} disabled={isDisabled}>
          {label}
        </button>
      </div>
    </>
  );
}
