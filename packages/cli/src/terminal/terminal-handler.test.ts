import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { takeTurn } from './terminal-handler.ts';

const never = new AbortController().signal;

describe('turns at a terminal', () => {
  it('are taken one after the other, even after a failure', async () => {
    const input = new PassThrough();
    const seen: string[] = [];
    const turn = (name: string) =>
      takeTurn(input, never, async () => {
        seen.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(`${name} ends`);
        if (name === 'a') throw new Error(name);
      });

    await Promise.allSettled([turn('a'), turn('b'), turn('c')]);

    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('are given up on abort, and later turns still wait for the first', async () => {
    const input = new PassThrough();
    const seen: string[] = [];
    const controller = new AbortController();
    let finish = () => {};
    const first = takeTurn(input, never, async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      seen.push('first');
    });
    const second = takeTurn(input, controller.signal, async () => void seen.push('second'));
    const third = takeTurn(input, never, async () => void seen.push('third'));

    controller.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    expect(seen).toEqual([]);
    finish();
    await Promise.all([first, third]);

    expect(seen).toEqual(['first', 'third']);
  });
});
