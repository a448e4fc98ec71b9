import type { JsonObject, JsonValue } from 'holdpoint';
import { type ReactNode, type Ref, useMemo } from 'react';
import type { CheckedEdit } from '../client/types.ts';
import { ChangeList } from '../form/change-list.tsx';
import { changesBetween } from '../form/changes.ts';
import type { Schema } from '../form/schema.ts';
import { RequirementText } from '../holds/requirement-text.tsx';
import { ValueTabs } from '../values/value-tabs.tsx';
import { ValueView } from '../values/value-view.tsx';
import { FormButtons } from './form-buttons.tsx';

/** The second step of an edit: shows the call as the desk described it, and asks for confirmation. */
export function EditReview({
  ref,
  original,
  typed,
  checked,
  schema,
  isDisabled,
  blocked,
  onCancel,
  onConfirm,
}: {
  readonly ref: Ref<HTMLHeadingElement>;
  /** The arguments before the edit. */
  readonly original: JsonValue;
  /** The arguments as the approver typed them. */
  readonly typed: JsonObject;
  readonly checked: CheckedEdit;
  readonly schema: Schema;
  readonly isDisabled: boolean;
  readonly blocked?: string | undefined;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}): ReactNode {
  const { args, preview, requirement } = checked;
  const changes = useMemo(() => changesBetween(original, typed), [original, typed]);
  return (
    <form
      className="answer-form"
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
      {args !== undefined && (
        <ValueTabs value={args} schema={schema} label="Arguments the tool will receive" level={3} />
      )}
      {requirement !== undefined && (
        <p>
          <RequirementText requirement={requirement} />
        </p>
      )}
      <FormButtons
        label="Approve with these changes"
        className="approve"
        isDisabled={isDisabled}
        blocked={blocked}
        onCancel={onCancel}
      />
    </form>
  );
}
