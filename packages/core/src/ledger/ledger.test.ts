import { expect, it } from 'vitest';
import { callKey, roundKey } from './ledger.ts';

it('has a key for each call and each resumption of a step', () => {
  expect(callKey('step', 3)).toEqual({ step: 'step', slot: 'call:3' });
  expect(roundKey('step', 0)).toEqual({ step: 'step', slot: 'round:0' });
});
