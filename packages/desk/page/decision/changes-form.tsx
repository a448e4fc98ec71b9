import { type ReactNode, useEffect, useRef } from 'react';
import { type DecisionFormProps, FormButtons } from './forms.tsx';

/** Requests changes from the agent in place of an approval. */
export function RequestChangesForm({
  message,
  onChange,
  blocked,
  isSending,
  onCancel,
  onSend,
}: DecisionFormProps & {
  readonly message: string;
  readonly onChange: (message: string) => void;
}): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const text = message.trim();
  return (
    <form
      className="decision-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (text !== '') void onSend({ decision: { kind: 'retry', message: text } });
      }}
    >
      <h2>Request changes</h2>
      <label>
        Question or changes for the agent. This call is not executed; a new call needs a new
        approval.
        <textarea
          ref={field}
          rows={3}
          required
          maxLength={10_000}
          value={message}
          onChange={({ target }) => onChange(target.value)}
        />
      </label>
      <FormButtons
        label="Request changes"
        className="primary"
        isDisabled={isSending || text === ''}
        blocked={blocked}
        onCancel={onCancel}
      />
    </form>
  );
}
