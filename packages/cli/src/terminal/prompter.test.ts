import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Prompter } from './prompter.ts';
import { Screen } from './screen.ts';

function openPrompter() {
  const input = new PassThrough();
  const output = new PassThrough();
  const prompter = new Prompter({ input, output }, new Screen(output), AbortSignal.timeout(30_000));
  return { input, prompter };
}

describe('keys that an approver types ahead', () => {
  it('are discarded until the approver stops typing', async () => {
    const { input, prompter } = openPrompter();
    const typing = setInterval(() => input.write('\r'), 20);
    let isPrompted = false;
    const discarding = prompter.discardTyped().then(() => (isPrompted = true));

    await sleep(400);
    expect(isPrompted).toBe(false);

    clearInterval(typing);
    await discarding;
    expect(input.read()).toBeNull();
  });

  it('end the run if they contain Ctrl-C', async () => {
    const { input, prompter } = openPrompter();
    const discarding = prompter.discardTyped();

    input.write('\r\u0003');

    await expect(discarding).rejects.toThrow('The approver ended the run in the terminal.');
  });
});
