import type { JsonValue } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  draftOf,
  unreadProblems,
  withJsonText,
  withNumberText,
  withValue,
} from '../../page/form/draft.ts';
import { emptyFor } from '../../page/form/empty-value.ts';
import { type Control, type Field, fieldOf } from '../../page/form/field.ts';
import { checkOf } from '../../page/form/problems.ts';
import { resolved, type Schema } from '../../page/form/schema.ts';

const refund = z.object({
  order: z.string().min(1).meta({ title: 'Order' }),
  euros: z.number().positive().max(5_000).meta({ title: 'Amount', description: 'In euros.' }),
  reason: z.enum(['broken', 'late']),
  letter: z.object({ to: z.string(), text: z.string() }).optional(),
  tags: z.array(z.string()).optional(),
  urgent: z.boolean().nullable().optional(),
});

// zod makes JSON.
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

describe('a form', () => {
  it('is made from the schema of the arguments', () => {
    const [order, euros, reason, letter] = fieldsOf(formOf(args));

    expect(order).toMatchObject({ label: 'Order', isRequired: true, control: { kind: 'text' } });
    expect(euros).toMatchObject({ label: 'Amount', description: 'In euros.' });
    expect(reason?.control).toEqual({ kind: 'choice', options: ['broken', 'late'] });
    expect(letter).toMatchObject({ label: 'letter', isPresent: false, isRequired: false });
  });

  it('goes by the values where there is no schema', () => {
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

  it('goes by the value where that is not what the schema says', () => {
    expect(controls({ ...args, euros: 'forty' })).toMatchObject({ euros: 'text' });
    expect(controls({ ...args, reason: 'other' })).toMatchObject({ reason: 'text' });
  });

  it('follows references, and ends where they go in a circle', () => {
    const tree = {
      type: 'object',
      properties: { next: { $ref: '#' }, self: { $ref: '#/$defs/a' } },
    };
    const root: Schema = { ...tree, $defs: { a: { $ref: '#/$defs/a' } } };

    expect(controls({ next: { next: {} } }, root)).toEqual({ next: 'group', self: 'json' });
  });

  it('is JSON for what has too many members, and nothing for what is too large to be changed', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`m${at}`, at]));

    expect(controls({ many, long: 'x'.repeat(10_000_000) }, {})).toEqual({
      many: 'json',
      long: 'fixed',
    });
    expect(formOf({ ...many, long: 'x'.repeat(10_000_000) }, {}).control.kind).toBe('fixed');
  });

  it('takes names of members that objects have by themselves for names', () => {
    const value: JsonValue = JSON.parse('{"constructor": "a", "__proto__": "b"}');

    expect(fieldsOf(formOf(value, {})).map(({ label }) => label)).toEqual([
      'constructor',
      '__proto__',
    ]);
  });

  it('begins a new item as its schema says, or as the last one was', () => {
    expect(emptyFor({ type: 'string' }, undefined)).toBe('');
    expect(emptyFor({}, 4)).toBe(0);
    expect(emptyFor({}, undefined)).toBe(null);
  });
});

describe('a draft', () => {
  it('takes a number only as it would be sent', () => {
    const typed = (text: string) => withNumberText(draftOf(args), ['euros'], text);

    expect(typed('35.5').value).toEqual({ ...args, euros: 35.5 });
    expect(unreadProblems(typed('35,5'))).toEqual([
      { path: '/euros', message: 'This is not a number.' },
    ]);
    expect(unreadProblems(typed('9007199254740993'))[0]?.message).toContain('9007199254740992');
    expect(unreadProblems(typed('')).length).toBe(1);
    expect(typed('35,5').value).toEqual(args);
  });

  it('keeps JSON that is not finished as it was typed', () => {
    const draft = withJsonText(draftOf({ list: [1] }), ['list'], '[1,');

    expect(draft.unread.get('/list')?.text).toBe('[1,');
    expect(withJsonText(draft, ['list'], '[1,2]').value).toEqual({ list: [1, 2] });
    expect(unreadProblems(withValue(draft, [], {}))).toEqual([]);
  });
});

describe('the check of a form', () => {
  const check = checkOf(schema);

  it('finds nothing wrong with what fits', () => {
    expect(check(args)).toEqual([]);
  });

  it('says at each place what is wrong, in words', () => {
    const { order: _order, ...rest } = args;

    expect(check({ ...rest, euros: -1, reason: 'none', letter: { to: 1 } })).toEqual(
      expect.arrayContaining([
        { path: '/order', message: 'This must be there.' },
        { path: '/euros', message: 'This must be more than 0.' },
        { path: '/reason', message: 'This must be one of broken, late.' },
        { path: '/letter/to', message: 'This must be of the type string.' },
        { path: '/letter/text', message: 'This must be there.' },
      ]),
    );
  });

  it('says that something must not be there', () => {
    expect(check({ ...args, more: 1 })).toEqual([
      { path: '/more', message: 'This must not be there.' },
    ]);
  });

  it('lets everything pass that nobody can check: the desk looks again', () => {
    expect(checkOf(undefined)(args)).toEqual([]);
    expect(checkOf({ $ref: '#/nowhere' })(args)).toEqual([]);
  });
});
