import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { HoldAnswer } from '../client/types.ts';
import type { AnswerFormProps } from './answer-form.ts';
import { FormButtons } from './form-buttons.tsx';

type Kind = 'result' | 'retry' | 'fail';

const KINDS: readonly { readonly kind: Kind; readonly label: string; readonly ask: string }[] = [
  {
    kind: 'result',
    label: 'It was done',
    ask: 'What is the result? The agent receives it.',
  },
  { kind: 'retry', label: 'Ask again', ask: 'What should the agent do otherwise?' },
  { kind: 'fail', label: 'It could not be done', ask: 'Why not? The agent is told this.' },
];

/** Records the result of a call that was executed elsewhere, or that is in doubt. */
export function ResultForm({ isDisabled, blocked, onCancel, onSay }: AnswerFormProps): ReactNode {
  const [kind, setKind] = useState<Kind>('result');
  const [text, setText] = useState('');
  const [isJson, setIsJson] = useState(false);
  const problemId = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  // Only when the form opens: a choice by keyboard must keep the focus on the radio buttons.
  useEffect(() => field.current?.focus(), []);
  const answer = answerOf(kind, text, isJson);
  const problem = typeof answer === 'string' ? answer : undefined;
  const ask = KINDS.find((one) => one.kind === kind)?.ask;
  return (
    <form
      className="answer-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (typeof answer !== 'string') void onSay({ answer });
      }}
    >
      <h2>Record the result</h2>
      <fieldset className="choices">
        <legend className="visually-hidden">How did the call end?</legend>
        {KINDS.map((one) => (
          <label key={one.kind}>
            <input
              type="radio"
              name="kind"
              checked={kind === one.kind}
              onChange={() => setKind(one.kind)}
            />
            {one.label}
          </label>
        ))}
      </fieldset>
      <label>
        {ask}
        <textarea
          ref={field}
          rows={4}
          value={text}
          maxLength={100_000}
          aria-invalid={problem !== undefined && text !== ''}
          aria-describedby={problemId}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      {kind === 'result' && (
        <label className="check">
          <input
            type="checkbox"
            checked={isJson}
            onChange={({ target }) => setIsJson(target.checked)}
          />
          This is JSON, not text
        </label>
      )}
      <p id={problemId} className="field-problem">
        {text !== '' && problem}
      </p>
      <FormButtons
        label="Record result"
        className={kind === 'fail' ? 'deny' : 'approve'}
        isDisabled={isDisabled || problem !== undefined}
        blocked={blocked}
        onCancel={onCancel}
      />
    </form>
  );
}

/** The answer, or what is wrong with what was typed. */
function answerOf(kind: Kind, text: string, isJson: boolean): HoldAnswer | string {
  if (kind !== 'result') {
    return text.trim() === '' ? 'Say something first.' : { kind, message: text.trim() };
  }
  if (!isJson) return { kind, value: text };
  try {
    return { kind, value: JSON.parse(text) };
  } catch {
    return 'This is not JSON yet.';
  }
}
