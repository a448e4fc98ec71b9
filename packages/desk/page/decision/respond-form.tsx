import type { JsonValue } from 'holdpoint';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { Hold } from '../client/types.ts';
import { type ArgsDraft, draftOf, textProblems } from '../form/draft.ts';
import { fieldOf, initialFor } from '../form/field.ts';
import { FieldView } from '../form/field-view.tsx';
import { validationOf } from '../form/problems.ts';
import { resolved, type Schema } from '../form/schema.ts';
import { formatCount } from '../text/format.ts';
import { valueAt } from '../values/json-path.ts';
import { type DecisionFormProps, FormButtons } from './forms.tsx';

/** The input is a member of the draft, because a draft without a value cannot be stored. */
const PATH = ['input'];

/** Responds to the question of a tool, with a form from its schema. */
export function RespondForm({
  question,
  draft: stored,
  onChange,
  blocked,
  isSending,
  onCancel,
  onSend,
}: DecisionFormProps & {
  readonly question: NonNullable<Hold['question']>;
  readonly draft: ArgsDraft | undefined;
  readonly onChange: (draft: ArgsDraft) => void;
}): ReactNode {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, []);
  // A schema is JSON.
  const schema = (question.schema ?? {}) as Schema;
  const draft = useMemo(() => stored ?? draftOf(emptyInput(schema)), [stored, schema]);
  const validate = useMemo(() => validationOf(schema), [schema]);
  const input = valueAt(draft.value, PATH);
  const problems = [
    ...textProblems(draft),
    ...(input === undefined
      ? [{ path: '/input', message: 'This is required.' }]
      : validate(input).map(({ path, message }) => ({ path: `/input${path}`, message }))),
  ];
  const field = fieldOf({
    value: input,
    schema: resolved(schema, schema),
    root: schema,
    path: PATH,
    label: 'Response',
    isRequired: true,
  });
  const canSend = problems.length === 0 && !isSending;
  return (
    <form
      ref={form}
      className="decision-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!canSend || input === undefined) return;
        void onSend({ decision: { kind: 'input', value: input } });
      }}
    >
      <h2>Respond to the question</h2>
      <FieldView field={field} draft={draft} problems={problems} onChange={onChange} />
      <p className="form-summary" role="status">
        {problems.length > 0 && `${formatCount(problems.length, 'problem')} to solve.`}
      </p>
      <FormButtons
        label={isSending ? 'Sending …' : 'Respond'}
        className="primary"
        isDisabled={!canSend}
        blocked={blocked}
        onCancel={onCancel}
      />
    </form>
  );
}

function emptyInput(schema: Schema): JsonValue {
  const input = initialFor(resolved(schema, schema), schema);
  return input === undefined ? {} : { input };
}
