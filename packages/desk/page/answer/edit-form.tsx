import type { JsonObject } from 'holdpoint';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { Hold } from '../client/types.ts';
import { changesBetween } from '../form/changes.ts';
import { type Draft, draftOf, unreadProblems } from '../form/draft.ts';
import { fieldOf } from '../form/field.ts';
import { FieldView } from '../form/field-view.tsx';
import { checkOf } from '../form/problems.ts';
import { resolved, type Schema } from '../form/schema.ts';
import { counted } from '../text/beginning.ts';
import { isObject } from '../values/json-path.ts';
import type { AnswerFormProps } from './answer-form.ts';
import { EditReview } from './edit-review.tsx';
import { FormButtons } from './form-buttons.tsx';
import { RefusalNotice } from './refusal-notice.tsx';
import { useCheckedEdit } from './use-checked-edit.ts';

/**
 * Edits the arguments of a call and approves it with them, in two steps: the desk describes the edited
 * call, then the approver confirms what was shown. The draft stays when another approver changes the call.
 */
export function EditForm({
  hold,
  isDisabled,
  blocked,
  onCancel,
  onSay,
}: AnswerFormProps & { readonly hold: Hold }): ReactNode {
  const original = hold.edit?.args ?? hold.args;
  // A schema is JSON.
  const root = (hold.schema ?? {}) as Schema;
  const [draft, setDraft] = useState(() => draftOf(original));
  const { isChecking, described, refusal, check, reset } = useCheckedEdit(hold);
  const ofDesk = described?.checked.problems ?? [];
  const isReviewing = described !== undefined && ofDesk.length === 0;
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusOnStep(heading, isReviewing);
  // A schema may come without members, which would say nothing.
  const validate = useMemo(() => checkOf(hold.schema as Schema | undefined), [hold.schema]);
  const problems = [...unreadProblems(draft), ...validate(draft.value), ...ofDesk];
  const changes = changesBetween(original, draft.value);
  const field = fieldOf({
    value: draft.value,
    schema: resolved(root, root),
    root,
    path: [],
    label: 'Arguments',
    isRequired: true,
  });
  const canReview = problems.length === 0 && changes.length > 0 && isObject(draft.value);
  const change = (next: Draft) => {
    reset();
    setDraft(next);
  };

  const confirm = async (args: JsonObject, shown: string | undefined) => {
    const answer = { kind: 'edit', args } as const;
    const isTaken = await onSay({ answer, ...(shown !== undefined && { shown }) });
    // The description may be out of date: the desk has to describe the edit again.
    if (!isTaken) reset();
  };

  if (isReviewing) {
    const { args, checked } = described;
    return (
      <EditReview
        ref={heading}
        original={original}
        typed={args}
        checked={checked}
        schema={root}
        isDisabled={isDisabled}
        blocked={blocked}
        onCancel={reset}
        onConfirm={() => void confirm(args, checked.shown)}
      />
    );
  }
  return (
    <form
      className="answer-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // Only an object can be reviewed.
        if (canReview && !isDisabled) void check(draft.value as JsonObject);
      }}
    >
      <h2 ref={heading} tabIndex={-1}>
        Edit the arguments
      </h2>
      {refusal !== undefined && <RefusalNotice refusal={refusal} />}
      <FieldView field={field} draft={draft} problems={problems} onChange={change} />
      <p className="form-summary" role="status">
        {problems.length > 0
          ? `${counted(problems.length, 'problem')} to solve first.`
          : changes.length === 0
            ? 'Nothing is changed yet.'
            : `${counted(changes.length, 'change')}.`}
      </p>
      <FormButtons
        label={isChecking ? 'Checking …' : 'Review changes'}
        className="approve"
        isDisabled={!canReview || isDisabled || isChecking}
        blocked={blocked}
        onCancel={onCancel}
      />
    </form>
  );
}

/** Puts the focus on the heading of a step when the approver comes to it. */
function useFocusOnStep(
  heading: { readonly current: HTMLHeadingElement | null },
  isReviewing: boolean,
): void {
  useEffect(() => heading.current?.focus(), [heading, isReviewing]);
}
