import type { JsonValue } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  draftOf,
  textProblems,
  withJsonText,
  withNumberText,
  withValue,
} from '../../page/form/draft.ts';
import { type Control, emptyFor, type Field, fieldOf } from '../../page/form/field.ts';
import { validationOf } from '../../page/form/problems.ts';
import { resolved, type Schema } from '../../page/form/schema.ts';

const refund = z.object({
  order: z.string().min(1).meta({ title: 'Order' }),
  euros: z.number().positive().max(5_000).meta({ title: 'Amount', description: 'In euros.' }),
  reason: z.enum(['broken', 'late']),
  letter: z.object({ to: z.string(), text: z.string() }).optional(),
  tags: z.array(z.string()).optional(),
  urgent: z.boolean().nullable().optional(),
});

// The JSON Schema of zod is JSON.
const schema = z.toJSONSchema(refund) as unknown as Schema;
const args = { order: '17', euros: 40, reason: 'broken' };

function formOf(value: JsonValue, root: Schema = schema): Field {
  const whole = resolved(root, root);
  return fieldOf({ value, schema: whole, root, path: [], label: 'Arguments', isRequired: true });
}

function fieldsOf({ control }: Field): readonly Field[] {
  return control.kind === 'group' ? control.fields : [];
}

function controls(value: JsonValue, root?: Schema): Record<string, Control['kind']> {
  return Object.fromEntries(
    fieldsOf(formOf(value, root)).map(({ path, control }) => [String(path.at(-1)), control.kind]),
  );
}

describe('form of arguments', () => {
  it('is built from the schema', () => {
    const [order, euros, reason, letter] = fieldsOf(formOf(args));

    expect(order).toMatchObject({ label: 'Order', isRequired: true, control: { kind: 'text' } });
    expect(euros).toMatchObject({ label: 'Amount', description: 'In euros.' });
    expect(reason?.control).toEqual({ kind: 'choice', options: ['broken', 'late'] });
    expect(letter).toMatchObject({ label: 'letter', isPresent: false, isRequired: false });
  });

  it('is built from the values without a schema', () => {
    const value = {
      text: 'a',
      long: 'a\nb',
      number: 1,
      yes: true,
      list: [1],
      inside: {},
      no: null,
    };

    expect(controls(value, {})).toEqual({
      text: 'text',
      long: 'text',
      number: 'number',
      yes: 'switch',
      list: 'list',
      inside: 'group',
      no: 'json',
    });
  });

  it('follows the value if it contradicts the schema', () => {
    expect(controls({ ...args, euros: 'forty' })).toMatchObject({ euros: 'text' });
    expect(controls({ ...args, reason: 'other' })).toMatchObject({ reason: 'text' });
  });

  it('follows references, and stops at a circular one', () => {
    const tree = {
      type: 'object',
      properties: { next: { $ref: '#' }, self: { $ref: '#/$defs/a' } },
    };
    const root: Schema = { ...tree, $defs: { a: { $ref: '#/$defs/a' } } };

    expect(controls({ next: { next: {} } }, root)).toEqual({ next: 'group', self: 'json' });
  });

  it('edits values with too many members as JSON, and does not edit values that are too large', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`m${at}`, at]));

    expect(controls({ many, long: 'x'.repeat(10_000_000) }, {})).toEqual({
      many: 'json',
      long: 'fixed',
    });
    expect(formOf({ ...many, long: 'x'.repeat(10_000_000) }, {}).control.kind).toBe('fixed');
  });

  it('accepts `constructor` and `__proto__` as names of members', () => {
    const value: JsonValue = JSON.parse('{"constructor": "a", "__proto__": "b"}');

    expect(fieldsOf(formOf(value, {})).map(({ label }) => label)).toEqual([
      'constructor',
      '__proto__',
    ]);
  });

  it('starts a new item with a value of the type in its schema, or of the last item', () => {
    expect(emptyFor({ type: 'string' }, undefined)).toBe('');
    expect(emptyFor({}, 4)).toBe(0);
    expect(emptyFor({}, undefined)).toBe(null);
  });
});

describe('draft of arguments', () => {
  it('accepts a number only in the form in which it is sent', () => {
    const typed = (text: string) => withNumberText(draftOf(args), ['euros'], text);

    expect(typed('35.5').value).toEqual({ ...args, euros: 35.5 });
    expect(textProblems(typed('35,5'))).toEqual([{ path: '/euros', message: 'Enter a number.' }]);
    expect(textProblems(typed('9007199254740993'))[0]?.message).toContain('9007199254740992');
    expect(textProblems(typed('')).length).toBe(1);
    expect(typed('35,5').value).toEqual(args);
  });

  it('keeps invalid JSON as it was typed', () => {
    const draft = withJsonText(draftOf({ list: [1] }), ['list'], '[1,');

    expect(draft.invalid.get('/list')?.text).toBe('[1,');
    expect(withJsonText(draft, ['list'], '[1,2]').value).toEqual({ list: [1, 2] });
    expect(textProblems(withValue(draft, [], {}))).toEqual([]);
  });
});

describe('validation of arguments', () => {
  const validate = validationOf(schema);

  it('accepts valid arguments', () => {
    expect(validate(args)).toEqual([]);
  });

  it('states one problem for each path', () => {
    const { order: _order, ...rest } = args;

    expect(validate({ ...rest, euros: -1, reason: 'none', letter: { to: 1 } })).toEqual(
      expect.arrayContaining([
        { path: '/order', message: 'This is required.' },
        { path: '/euros', message: 'This must be more than 0.' },
        { path: '/reason', message: 'This must be one of broken, late.' },
        { path: '/letter/to', message: 'This must be of the type string.' },
        { path: '/letter/text', message: 'This is required.' },
      ]),
    );
  });

  it('rejects a member that the schema does not allow', () => {
    expect(validate({ ...args, more: 1 })).toEqual([
      { path: '/more', message: 'This is not allowed.' },
    ]);
  });

  it('accepts everything if there is no usable schema, because the desk validates again', () => {
    expect(validationOf(undefined)(args)).toEqual([]);
    expect(validationOf({ $ref: '#/nowhere' })(args)).toEqual([]);
  });
});
