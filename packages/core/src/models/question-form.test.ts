import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../internal/json.ts';
import { questionForm } from './question-form.ts';

describe('the form of a question', () => {
  it('contains the fields of an object, with the keywords that clients support', () => {
    const name = { type: 'string', title: 'Name', pattern: '^a', 'x-secret': true };
    const form = questionForm({ type: 'object', properties: { name }, required: ['name'] });

    expect(form?.schema).toEqual({
      type: 'object',
      properties: { name: { type: 'string', title: 'Name' } },
      required: ['name'],
    });
    expect(form?.read({ name: 'Ada' })).toEqual({ name: 'Ada' });
  });

  it('contains one field for a simple value', () => {
    const form = questionForm({ type: 'integer', minimum: 1 });

    expect(form?.schema.properties).toEqual({ value: { type: 'integer', minimum: 1 } });
    expect(form?.read({ value: 3, other: 4 })).toBe(3);
    expect(form?.read({})).toBeUndefined();
  });

  it.each<[string, JsonObject]>([
    ['a list', { type: 'array', items: { type: 'string' } }],
    ['a nested object', { type: 'object', properties: { a: { type: 'object' } } }],
    ['a choice of numbers', { type: 'number', enum: [1, 2] }],
    ['several types', { type: ['string', 'null'] }],
    ['any value', {}],
  ])('does not exist for %s', (_, schema) => {
    expect(questionForm(schema)).toBeUndefined();
  });
});
