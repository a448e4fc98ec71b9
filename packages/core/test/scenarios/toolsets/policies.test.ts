import { beforeAll, describe, expect, it } from 'vitest';
import { delegations, observe, type Table } from '../../support/toolset-policies/observe.ts';
import { wirings } from '../../support/toolset-policies/wirings.ts';

/**
 * The instance that each call sees, by policy: in two concurrent runs (`a`, `b`) and one after them
 * (`c`), in parallel calls of a step, in a later step, in two parallel sub-agents, and in a sub-agent
 * of each of these.
 */
const tables: Readonly<Record<string, Table>> = {
  'one instance for all runs': [
    ['step 1, left call', '1', '1', '1'],
    ['step 1, right call', '1', '1', '1'],
    ['sub x, step 1', '1', '1', '1'],
    ['sub x, nested', '1', '1', '1'],
    ['sub x, step 3', '1', '1', '1'],
    ['sub y, step 1', '1', '1', '1'],
    ['sub y, nested', '1', '1', '1'],
    ['sub y, step 3', '1', '1', '1'],
    ['step 3', '1', '1', '1'],
  ],
  'fresh for each run': [
    ['step 1, left call', '1', '2', '3'],
    ['step 1, right call', '1', '2', '3'],
    ['sub x, step 1', '–', '–', '–'],
    ['sub x, nested', '–', '–', '–'],
    ['sub x, step 3', '–', '–', '–'],
    ['sub y, step 1', '–', '–', '–'],
    ['sub y, nested', '–', '–', '–'],
    ['sub y, step 3', '–', '–', '–'],
    ['step 3', '1', '2', '3'],
  ],
  'fresh for each agent call': [
    ['step 1, left call', '1', '6', '11'],
    ['step 1, right call', '1', '6', '11'],
    ['sub x, step 1', '2', '7', '12'],
    ['sub x, nested', '3', '8', '13'],
    ['sub x, step 3', '2', '7', '12'],
    ['sub y, step 1', '4', '9', '14'],
    ['sub y, nested', '5', '10', '15'],
    ['sub y, step 3', '4', '9', '14'],
    ['step 3', '1', '6', '11'],
  ],
  'snapshot of the parent’s': [
    ['step 1, left call', '1', '6', '11'],
    ['step 1, right call', '1', '6', '11'],
    ['sub x, step 1', '2 from 1', '7 from 6', '12 from 11'],
    ['sub x, nested', '3 from 2', '8 from 7', '13 from 12'],
    ['sub x, step 3', '2 from 1', '7 from 6', '12 from 11'],
    ['sub y, step 1', '4 from 1', '9 from 6', '14 from 11'],
    ['sub y, nested', '5 from 4', '10 from 9', '15 from 14'],
    ['sub y, step 3', '4 from 1', '9 from 6', '14 from 11'],
    ['step 3', '1', '6', '11'],
  ],
  'inherited from the parent': [
    ['step 1, left call', '1', '2', '3'],
    ['step 1, right call', '1', '2', '3'],
    ['sub x, step 1', '1', '2', '3'],
    ['sub x, nested', '1', '2', '3'],
    ['sub x, step 3', '1', '2', '3'],
    ['sub y, step 1', '1', '2', '3'],
    ['sub y, nested', '1', '2', '3'],
    ['sub y, step 3', '1', '2', '3'],
    ['step 3', '1', '2', '3'],
  ],
};

describe.each(delegations)('with $way', ({ delegate }) => {
  describe.each(wirings)('$written', ({ policy, wiring }) => {
    let observed: Table;
    beforeAll(async () => {
      observed = await observe(wiring, delegate);
    });

    it(`is ${policy}`, () => {
      expect(observed).toEqual(tables[policy]);
    });

    // The table of a policy differs from those of all other policies.
    const others = Object.keys(tables).filter((other) => other !== policy);
    it.each(others)('is not %s', (other) => {
      expect(observed).not.toEqual(tables[other]);
    });
  });
});

describe('the suite', () => {
  it('covers every policy', () => {
    expect(new Set(wirings.map(({ policy }) => policy))).toEqual(new Set(Object.keys(tables)));
  });
});
