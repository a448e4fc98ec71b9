import { type ReactNode, useEffect, useId, useRef } from 'react';
import type { Decision, DecisionBody } from '../client/types.ts';
import { visibleText } from '../text/hidden-characters.ts';
import type { ResultDraft } from './stored-draft.ts';

/** Properties of every decision form. */
export interface DecisionFormProps {
  /** The reason why the form cannot be sent now. */
  readonly blocked: string | undefined;
  readonly isSending: boolean;
  readonly onCancel: () => void;
  /** Sends the decision. Returns true if the desk recorded it; the form stays open otherwise. */
  readonly onSend: (body: Pick<DecisionBody, 'decision' | 'shown'>) => Promise<boolean>;
}

/** The end of a form: the reason why it is blocked, and its buttons. */
export function FormButtons({
  label,
  className,
  isDisabled,
  blocked,
  onCancel,
}: Pick<DecisionFormProps, 'blocked' | 'onCancel'> & {
  readonly label: string;
  readonly className: 'primary' | 'deny';
  readonly isDisabled: boolean;
}): ReactNode {
  const blockedId = useId();
  return (
    <>
      {blocked !== undefined && (
        <p className="blocked" id={blockedId}>
          {blocked}
        </p>
      )}
      <div className="form-buttons">
        <button type="button" onClick={onCancel}>
          Back
        </button>
        <button
          type="submit"
          className={className}
          disabled={isDisabled || blocked !== undefined}
          aria-describedby={blocked === undefined ? undefined : blockedId}
        >
          {label}
        </button>
      </div>
    </>
  );
}

/** Denies a call or declines its question, with a reason. */
export function DenyForm({
  isQuestion,
  reasons,
  reason,
  onChange,
  blocked,
  isSending,
  onCancel,
  onSend,
}: DecisionFormProps & {
  readonly isQuestion: boolean;
  /** Reasons to choose from. */
  readonly reasons: readonly string[];
  readonly reason: string;
  readonly onChange: (reason: string) => void;
}): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const text = reason.trim();
  const verb = isQuestion ? 'Decline' : 'Deny';
  return (
    <form
      className="decision-form"
      onSubmit={(event) => {
        event.preventDefault();
        void onSend({ decision: { kind: 'deny', ...(text !== '' && { reason: text }) } });
      }}
    >
      <h2>{isQuestion ? 'Decline this question' : 'Deny this call'}</h2>
      {reasons.length > 0 && (
        <fieldset className="form-buttons">
          <legend>Use a prepared reason</legend>
          {reasons.map((one) => (
            <button key={one} type="button" onClick={() => onChange(one)}>
              {visibleText(one)}
            </button>
          ))}
        </fieldset>
      )}
      <label>
        Reason (optional). The agent and the other approvers see it.
        <textarea
          ref={field}
          rows={3}
          maxLength={10_000}
          value={reason}
          onChange={({ target }) => onChange(target.value)}
        />
      </label>
      <FormButtons
        label={text === '' ? `${verb} without a reason` : verb}
        className="deny"
        isDisabled={isSending}
        blocked={blocked}
        onCancel={onCancel}
      />
    </form>
  );
}

const RESULT_KINDS: readonly {
  readonly kind: ResultDraft['kind'];
  readonly label: string;
  readonly question: string;
}[] = [
  { kind: 'result', label: 'It was done', question: 'Result. The agent receives it.' },
  {
    kind: 'retry',
    label: 'Request changes',
    question: 'Changes that the agent should make before it calls the tool again.',
  },
  { kind: 'fail', label: 'It failed', question: 'Reason for the failure. The agent receives it.' },
];

const NO_RESULT: ResultDraft = { kind: 'result', text: '', isJson: false };

/** Records the result of an external call or of a call in doubt. */
export function ResultForm({
  title,
  draft = NO_RESULT,
  onChange,
  blocked,
  isSending,
  onCancel,
  onSend,
}: DecisionFormProps & {
  readonly title: string;
  readonly draft: ResultDraft | undefined;
  readonly onChange: (draft: ResultDraft) => void;
}): ReactNode {
  const problemId = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  // Only when the form opens: a choice by keyboard must keep the focus on the radio buttons.
  useEffect(() => field.current?.focus(), []);
  const { kind, text, isJson } = draft;
  const parsed = parseResult(draft);
  const problem = 'problem' in parsed ? parsed.problem : undefined;
  return (
    <form
      className="decision-form"
      onSubmit={(event) => {
        event.preventDefault();
        if ('decision' in parsed) void onSend({ decision: parsed.decision });
      }}
    >
      <h2>{title}</h2>
      <fieldset className="choices">
        <legend className="visually-hidden">How did the call end?</legend>
        {RESULT_KINDS.map((option) => (
          <label key={option.kind}>
            <input
              type="radio"
              name="kind"
              checked={kind === option.kind}
              onChange={() => onChange({ ...draft, kind: option.kind })}
            />
            {option.label}
          </label>
        ))}
      </fieldset>
      <label>
        {RESULT_KINDS.find((option) => option.kind === kind)?.question}
        <textarea
          ref={field}
          rows={4}
          value={text}
          maxLength={100_000}
          aria-invalid={problem !== undefined && text !== ''}
          aria-describedby={problemId}
          onChange={({ target }) => onChange({ ...draft, text: target.value })}
        />
      </label>
      {kind === 'result' && (
        <label className="check">
          <input
            type="checkbox"
            checked={isJson}
            onChange={({ target }) => onChange({ ...draft, isJson: target.checked })}
          />
          The result is JSON
        </label>
      )}
      <p id={problemId} className="field-problem">
        {text !== '' && problem}
      </p>
      <FormButtons
        label="Record result"
        className={kind === 'fail' ? 'deny' : 'primary'}
        isDisabled={isSending || problem !== undefined}
        blocked={blocked}
        onCancel={onCancel}
      />
    </form>
  );
}

function parseResult({
  kind,
  text,
  isJson,
}: ResultDraft): { readonly decision: Decision } | { readonly problem: string } {
  if (kind !== 'result') {
    const message = text.trim();
    return message === '' ? { problem: 'Enter a text.' } : { decision: { kind, message } };
  }
  if (!isJson) return { decision: { kind, value: text } };
  try {
    return { decision: { kind, value: JSON.parse(text) } };
  } catch {
    return { problem: 'This is not valid JSON.' };
  }
}
