import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { HoldAnswer } from '../client/types.ts';
import type { AnswerFormProps } from './answer-form.ts';
import { FormButtons } from './form-buttons.tsx';

type Kind = 'result' | 'retry' | 'fail';

const KINDS: readonly { readonly kind: Kind; readonly label: string; readonly ask: string }[] = [
  {
    kind: 'result',
    label: 'It was done',
    ask: 'What came of it? The agent gets this as the result.',
  },
  { kind: 'retry', label: 'Ask again', ask: 'What should the agent do otherwise?' },
  { kind: 'fail', label: 'It could not be done', ask: 'Why not? The agent is told this.' },
];

/** Says what came of a call that somebody else executes. */
export function ResultForm({ isDisabled, blocked, onCancel, onSay }: AnswerFormProps): ReactNode {
  const [kind, setKind] = useState<Kind>('result');
  const [text, setText] = useState('');
  const [isJson, setIsJson] = useState(false);
  const problemId = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), [kind]);
  const answer = answerOf(kind, text, isJson);
  const problem = typeof answer === 'string' ? answer : undefined;
  const ask = KINDS.find((one) => one.kind === kind)?.ask;
  return (
    <form
      className="answer-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (typeof answer !== 'string') void onSay(answer);
      }}
    >
      <h2>What came of it?</h2>
      <fieldset className="choices">
        <legend className="visually-hidden">What came of it?</legend>
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
        label="Send this answer"
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
