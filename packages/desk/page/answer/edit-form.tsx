import type { JsonObject } from 'holdpoint';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { Hold } from '../client/types.ts';
import { ChangeList } from '../form/change-list.tsx';
import { changesBetween } from '../form/changes.ts';
import { draftOf, unreadProblems } from '../form/draft.ts';
import { fieldOf } from '../form/field.ts';
import { FieldView } from '../form/field-view.tsx';
import { checkOf } from '../form/problems.ts';
import { resolved, type Schema } from '../form/schema.ts';
import { counted } from '../text/beginning.ts';
import { isObject } from '../values/json-path.ts';
import type { AnswerFormProps } from './answer-form.ts';
import { FormButtons } from './form-buttons.tsx';

/** Changes the arguments of a call, and approves it with them. First the form, then what it changes. */
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
  const [isReviewing, setIsReviewing] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [isReviewing]);
  // A schema may come without members, which would say nothing.
  const check = useMemo(() => checkOf(hold.schema as Schema | undefined), [hold.schema]);
  const problems = [...unreadProblems(draft), ...check(draft.value)];
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

  if (isReviewing) {
    return (
      <form
        className="answer-form"
        onSubmit={(event) => {
          event.preventDefault();
          // It was looked at before it came here: only an object can be reviewed.
          void onSay({ kind: 'edit', args: draft.value as JsonObject });
        }}
      >
        <h2 ref={heading} tabIndex={-1}>
          This is what you change
        </h2>
        <ChangeList changes={changes} schema={root} />
        <FormButtons
          label="Approve with these changes"
          className="approve"
          isDisabled={isDisabled}
          blocked={blocked}
          onCancel={() => setIsReviewing(false)}
        />
      </form>
    );
  }
  return (
    <form
      className="answer-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (canReview) setIsReviewing(true);
      }}
    >
      <h2 ref={heading} tabIndex={-1}>
        Change the arguments
      </h2>
      <FieldView field={field} draft={draft} problems={problems} onChange={setDraft} />
      <p className="form-summary" role="status">
        {problems.length > 0
          ? `${counted(problems.length, 'problem')} to solve first.`
          : changes.length === 0
            ? 'Nothing is changed yet.'
            : `${counted(changes.length, 'change')}.`}
      </p>
      <FormButtons
        label="Look at the changes"
        className="approve"
        isDisabled={!canReview}
        blocked={blocked}
        onCancel={onCancel}
      />
    </form>
  );
}
