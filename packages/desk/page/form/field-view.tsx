import type { JsonValue } from 'holdpoint';
import { type ReactNode, useId } from 'react';
import { visibleText } from '../text/hidden-characters.ts';
import { UntrustedLine } from '../text/untrusted.tsx';
import { jsonText, looksLikeData } from '../values/json-text.ts';
import { pointerOf, valueAt } from '../values/json-path.ts';
import { type ArgsDraft, withJsonText, withNumberText, withValue } from './draft.ts';
import { emptyFor, type Field } from './field.ts';
import type { Problem } from './problems.ts';

interface FieldProps {
  readonly field: Field;
  readonly draft: ArgsDraft;
  readonly problems: readonly Problem[];
  readonly onChange: (draft: ArgsDraft) => void;
}

/** A field of a form, with its problems. */
export function FieldView(props: FieldProps): ReactNode {
  const { field } = props;
  if (field.path.length === 0 && field.control.kind === 'group') {
    return field.control.fields.map((member) => (
      <FieldView key={pointerOf(member.path)} {...props} field={member} />
    ));
  }
  if (!field.isPresent && !isEmptyInput(field)) return <AbsentField {...props} />;
  if (field.control.kind === 'fixed') return <FixedField {...props} />;
  if (field.control.kind === 'group' || field.control.kind === 'list')
    return <GroupField {...props} />;
  return <SingleField {...props} />;
}

/**
 * Returns whether a missing value has an input in place of a button, because the form requires it.
 */
function isEmptyInput({ isRequired, control }: Field): boolean {
  return isRequired && ['text', 'number', 'choice'].includes(control.kind);
}

function GroupField(props: FieldProps): ReactNode {
  const { field, draft, onChange } = props;
  const { control, path } = field;
  if (control.kind !== 'group' && control.kind !== 'list') return null;
  const inside = control.kind === 'group' ? control.fields : control.items;
  return (
    <fieldset className="field-group">
      <legend>
        <UntrustedLine text={field.label} max={200} />
      </legend>
      <FieldProblem {...props} id={undefined} />
      {inside.map((member) => (
        <FieldView key={pointerOf(member.path)} {...props} field={member} />
      ))}
      {control.kind === 'list' && (
        <button
          type="button"
          onClick={() => {
            const list = valueAt(draft.value, path);
            const items = Array.isArray(list) ? list : [];
            onChange(
              withValue(draft, path, [...items, emptyFor(control.itemSchema, items.at(-1))]),
            );
          }}
        >
          Add item
        </button>
      )}
      <RemoveButton {...props} />
    </fieldset>
  );
}

function SingleField(props: FieldProps): ReactNode {
  const { field, problems } = props;
  const id = useId();
  const pointer = pointerOf(field.path);
  const isInvalid = problems.some(({ path }) => path === pointer || path.startsWith(`${pointer}/`));
  return (
    <div className="field">
      <div className="field-head">
        <label htmlFor={id}>
          <UntrustedLine text={field.label} max={200} />
        </label>
        <RemoveButton {...props} />
      </div>
      {field.description !== undefined && (
        <small id={`${id}-about`} className="member-about">
          <UntrustedLine text={field.description} max={300} />
        </small>
      )}
      <Input {...props} id={id} isInvalid={isInvalid} />
      <FieldProblem {...props} id={`${id}-problem`} />
    </div>
  );
}

function Input({
  field: { control, path, description },
  draft,
  onChange,
  id,
  isInvalid,
}: FieldProps & { readonly id: string; readonly isInvalid: boolean }): ReactNode {
  const value = valueAt(draft.value, path);
  const typed = draft.invalid.get(pointerOf(path))?.text;
  const described = `${id}-problem${description === undefined ? '' : ` ${id}-about`}`;
  const common = { id, 'aria-invalid': isInvalid, 'aria-describedby': described };
  switch (control.kind) {
    case 'text': {
      const text = typeof value === 'string' ? value : '';
      const change = (next: string) => onChange(withValue(draft, path, next));
      return control.isLong ? (
        <textarea
          {...common}
          rows={6}
          value={text}
          onChange={({ target }) => change(target.value)}
        />
      ) : (
        <input
          {...common}
          type="text"
          value={text}
          onChange={({ target }) => change(target.value)}
        />
      );
    }
    case 'number':
      return (
        <input
          {...common}
          type="text"
          inputMode="decimal"
          value={typed ?? (value === undefined ? '' : String(value))}
          onChange={({ target }) => onChange(withNumberText(draft, path, target.value))}
        />
      );
    case 'switch':
      return (
        <input
          {...common}
          type="checkbox"
          checked={value === true}
          onChange={({ target }) => onChange(withValue(draft, path, target.checked))}
        />
      );
    case 'choice':
      return (
        <select
          {...common}
          value={value === undefined ? -1 : control.options.indexOf(value)}
          onChange={({ target }) =>
            onChange(withValue(draft, path, control.options[Number(target.value)]))
          }
        >
          {value === undefined && <option value={-1}>Choose …</option>}
          {control.options.map((option, index) => (
            <option key={String(option)} value={index}>
              {visibleText(optionText(option))}
            </option>
          ))}
        </select>
      );
    default:
      return (
        <textarea
          {...common}
          className="json-input"
          rows={6}
          spellCheck={false}
          value={typed ?? jsonText(value ?? null)}
          onChange={({ target }) => onChange(withJsonText(draft, path, target.value))}
        />
      );
  }
}

function FieldProblem({
  field,
  problems,
  id,
}: FieldProps & { readonly id: string | undefined }): ReactNode {
  const pointer = pointerOf(field.path);
  const isWhole = field.control.kind === 'json';
  const here = problems.find(
    ({ path }) => path === pointer || (isWhole && path.startsWith(`${pointer}/`)),
  );
  return (
    <p id={id} className="field-problem">
      {here !== undefined && <UntrustedLine text={here.message} max={300} />}
    </p>
  );
}

function AbsentField({ field, draft, problems, onChange }: FieldProps): ReactNode {
  const pointer = pointerOf(field.path);
  const problem = problems.find(({ path }) => path === pointer);
  return (
    <div className="field absent">
      <span>
        <UntrustedLine text={field.label} max={200} /> <em>is not set</em>
      </span>
      {problem !== undefined && <p className="field-problem">{problem.message}</p>}
      <button
        type="button"
        className="text-button"
        onClick={() => onChange(withValue(draft, field.path, emptyOf(field)))}
      >
        Set<span className="visually-hidden">: {visibleText(field.label)}</span>
      </button>
    </div>
  );
}

function FixedField(props: FieldProps): ReactNode {
  return (
    <div className="field absent">
      <span>
        <UntrustedLine text={props.field.label} max={200} />{' '}
        <em>is too large to edit here. It stays unchanged.</em>
      </span>
      <RemoveButton {...props} />
    </div>
  );
}

function RemoveButton({ field, draft, onChange }: FieldProps): ReactNode {
  const isItem = typeof field.path.at(-1) === 'number';
  if ((field.isRequired && !isItem) || field.path.length === 0) return null;
  return (
    <button
      type="button"
      className="text-button"
      onClick={() => onChange(withValue(draft, field.path, undefined))}
    >
      Remove<span className="visually-hidden">: {visibleText(field.label)}</span>
    </button>
  );
}

function emptyOf({ control }: Field): JsonValue {
  switch (control.kind) {
    case 'text':
      return '';
    case 'number':
      return 0;
    case 'switch':
      return false;
    case 'choice':
      return control.options[0] ?? null;
    case 'group':
      return {};
    case 'list':
      return [];
    default:
      return null;
  }
}

function optionText(option: JsonValue): string {
  const isWord = typeof option === 'string' && !looksLikeData(option);
  return isWord ? option : JSON.stringify(option);
}
