import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { AnswerFormProps } from './answer-form.ts';
import { FormButtons } from './form-buttons.tsx';

/** Denies a call, with a reason. */
export function DenyForm({ isDisabled, blocked, onCancel, onSay }: AnswerFormProps): ReactNode {
  const [reason, setReason] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const message = reason.trim();
  return (
    <form
      className="answer-form"
      onSubmit={(event) => {
        event.preventDefault();
        void onSay({ answer: { kind: 'deny', ...(message !== '' && { message }) } });
      }}
    >
      <h2>Deny this call</h2>
      <label>
        Why? The agent is told this, and everybody who looks at the call.
        <textarea
          ref={field}
          rows={3}
          maxLength={10_000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      <FormButtons
        label={message === '' ? 'Deny without a reason' : 'Deny'}
        className="deny"
        isDisabled={isDisabled}
        blocked={blocked}
        onCancel={onCancel}
      />
    </form>
  );
}
