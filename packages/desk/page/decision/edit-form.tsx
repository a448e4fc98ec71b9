import { useMutation } from '@tanstack/react-query';
import type { JsonObject, JsonValue } from 'holdpoint';
import { type ReactNode, type Ref, useEffect, useMemo, useRef } from 'react';
import type { EditPreview, Hold } from '../client/types.ts';
import { ChangeList } from '../form/change-list.tsx';
import { changesBetween } from '../form/changes.ts';
import { type ArgsDraft, draftOf, textProblems } from '../form/draft.ts';
import { fieldOf } from '../form/field.ts';
import { FieldView } from '../form/field-view.tsx';
import { validationOf } from '../form/problems.ts';
import { resolved, type Schema } from '../form/schema.ts';
import { RequirementText } from '../holds/approvals.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { formatCount } from '../text/format.ts';
import { isObject } from '../values/json-path.ts';
import { ValueSection, ValueView } from '../values/value-view.tsx';
import { type DecisionFormProps, FormButtons } from './forms.tsx';
import { RejectionNotice } from './rejection.tsx';

/**
 * Edits the arguments of a call and approves it with them, in two steps: the desk validates and
 * previews the edit, then the approver confirms it. The draft stays when another approver edits the call.
 */
export function EditForm({
  hold,
  draft: stored,
  onChange,
  blocked,
  isSending,
  onCancel,
  onSend,
}: DecisionFormProps & {
  readonly hold: Hold;
  readonly draft: ArgsDraft | undefined;
  readonly onChange: (draft: ArgsDraft) => void;
}): ReactNode {
  const original = hold.edit?.args ?? hold.args;
  // A schema is JSON.
  const schema = (hold.schema ?? {}) as Schema;
  const draft = useMemo(() => stored ?? draftOf(original), [stored, original]);
  const preview = useEditPreview(hold);
  const heading = useRef<HTMLHeadingElement>(null);
  const problemsOfDesk = preview.result?.problems ?? [];
  const isReviewing = preview.result !== undefined && problemsOfDesk.length === 0;
  useEffect(() => heading.current?.focus(), [isReviewing]);

  const validate = useMemo(() => validationOf(hold.schema as Schema | undefined), [hold.schema]);
  const problems = [...textProblems(draft), ...validate(draft.value), ...problemsOfDesk];
  const changes = changesBetween(original, draft.value);
  const canReview = problems.length === 0 && changes.length > 0 && isObject(draft.value);

  const { args, result } = preview;
  if (isReviewing && args !== undefined && result !== undefined) {
    const confirm = async () => {
      const isRecorded = await onSend({
        decision: { kind: 'approve', args },
        shown: result.shown,
      });
      // The preview may be out of date.
      if (!isRecorded) preview.reset();
    };
    return (
      <EditReview
        ref={heading}
        original={original}
        args={args}
        preview={result}
        schema={schema}
        blocked={blocked}
        isSending={isSending}
        onCancel={preview.reset}
        onConfirm={() => void confirm()}
      />
    );
  }
  const field = fieldOf({
    value: draft.value,
    schema: resolved(schema, schema),
    root: schema,
    path: [],
    label: 'Arguments',
    isRequired: true,
  });
  return (
    <form
      className="decision-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!canReview || blocked !== undefined) return;
        // `canReview` implies an object.
        preview.load(draft.value as JsonObject);
      }}
    >
      <h2 ref={heading} tabIndex={-1}>
        Edit the arguments
      </h2>
      {preview.error !== null && <RejectionNotice error={preview.error} />}
      <FieldView
        field={field}
        draft={draft}
        problems={problems}
        onChange={(next) => {
          preview.reset();
          onChange(next);
        }}
      />
      <p className="form-summary" role="status">
        {problems.length > 0
          ? `${formatCount(problems.length, 'problem')} to solve.`
          : changes.length === 0
            ? 'No changes yet.'
            : `${formatCount(changes.length, 'change')}.`}
      </p>
      <FormButtons
        label={preview.isLoading ? 'Validating …' : 'Review changes'}
        className="primary"
        isDisabled={!canReview || preview.isLoading}
        blocked={blocked}
        onCancel={onCancel}
      />
    </form>
  );
}

/** Loads the desk's preview of edited arguments. A preview of an older version of the call is dropped. */
function useEditPreview({ id, digest }: Hold) {
  const { client } = useInbox();
  const { mutate, reset, data, error, isPending, variables } = useMutation({
    mutationFn: ({ args }: { readonly args: JsonObject; readonly digest: string }) =>
      client.previewEdit(id, { args }),
  });
  const isCurrent = variables?.digest === digest;
  return {
    isLoading: isPending,
    error,
    args: isCurrent ? variables.args : undefined,
    result: isCurrent ? data : undefined,
    load: (args: JsonObject) => mutate({ args, digest }),
    reset,
  };
}

/** The second step of an edit: shows the edited call as the desk previewed it. */
function EditReview({
  ref,
  original,
  args,
  preview: { args: validatedArgs, preview, requirement },
  schema,
  blocked,
  isSending,
  onCancel,
  onConfirm,
}: Pick<DecisionFormProps, 'blocked' | 'isSending' | 'onCancel'> & {
  readonly ref: Ref<HTMLHeadingElement>;
  readonly original: JsonValue;
  /** The arguments as the approver typed them. */
  readonly args: JsonObject;
  readonly preview: EditPreview;
  readonly schema: Schema;
  readonly onConfirm: () => void;
}): ReactNode {
  const changes = useMemo(() => changesBetween(original, args), [original, args]);
  return (
    <form
      className="decision-form"
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm();
      }}
    >
      <h2 ref={ref} tabIndex={-1}>
        Review your changes
      </h2>
      <ChangeList changes={changes} schema={schema} />
      {preview !== undefined && (
        <section className="preview" aria-labelledby="edited-preview-heading">
          <h3 id="edited-preview-heading">What will happen with your changes</h3>
          <div className="preview-text">
            <ValueView value={preview} isProse />
          </div>
        </section>
      )}
      {validatedArgs !== undefined && (
        <ValueSection
          value={validatedArgs}
          schema={schema}
          label="Arguments the tool will receive"
          level={3}
        />
      )}
      {requirement !== undefined && (
        <p>
          <RequirementText requirement={requirement} />
        </p>
      )}
      <FormButtons
        label="Approve with these changes"
        className="primary"
        isDisabled={isSending}
        blocked={blocked}
        onCancel={onCancel}
      />
    </form>
  );
}
