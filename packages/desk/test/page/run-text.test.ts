import { describe, expect, it } from 'vitest';
import { meaningOf } from '../../page/runs/run-text.ts';

describe('the state of a run', () => {
  it('names the program, not a worker, if another program executes the call', () => {
    const agent = 'outside:service:shop';

    expect(meaningOf({ agent, state: 'ready' })).toContain('The program that requested it');
    expect(meaningOf({ agent, state: 'running' })).toContain('has claimed it');
    expect(meaningOf({ agent, state: 'parked' })).toBe('Waiting for decisions.');
    expect(meaningOf({ agent: 'shop', state: 'ready' })).toBe('Waiting for a worker.');
  });
});
