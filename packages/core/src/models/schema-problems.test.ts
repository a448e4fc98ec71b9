import { describe, expect, it } from 'vitest';
import { schemaProblems } from './schema-problems.ts';

const TOO_MUCH = ['The value needs too much work to be validated.'];

describe('a schema that refers to itself several times', () => {
  it.each(['allOf', 'anyOf', 'oneOf'])('is rejected in bounded time: %s', (combination) => {
    const itself = { $ref: '#' };

    expect(schemaProblems({ [combination]: [itself, itself, itself] }, 1)).toEqual(TOO_MUCH);
  });

  it('is rejected in bounded time for nested values, also if other forms fit', () => {
    const form = { type: 'object', properties: { next: { $ref: '#' } } };
    let value = {};
    for (let depth = 0; depth < 30; depth++) value = { next: value };

    expect(schemaProblems({ oneOf: [{ type: 'object' }, form, form, form] }, value)).toEqual(
      TOO_MUCH,
    );
  });
});

describe('a long list', () => {
  it('is validated', () => {
    const items = { type: 'number' };
    const list = Array.from({ length: 100_000 }, (_, index) => index);

    expect(schemaProblems({ type: 'array', items }, list)).toEqual([]);
    expect(schemaProblems({ type: 'array', items }, [...list, 'x'])).toEqual([
      '`100000` must be a number.',
    ]);
  });
});
