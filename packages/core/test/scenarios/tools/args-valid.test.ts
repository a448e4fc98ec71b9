import { Agent, type Capability, ModelRetry, type Tool, ToolFailed, tool } from 'holdpoint';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { following } from '../../support/sub-agents.ts';

/** Runs an agent that calls `pay` once, and returns `argsValid` of its `tool-call` event. */
async function argsValidOf(pay: Tool, capabilities: readonly Capability[] = []) {
  const found: (boolean | undefined)[] = [];
  const agent = new Agent({ model: following(calls('pay')), tools: [pay], capabilities });

  await agent.run('Go.', {
    onEvent(event) {
      if (event.kind === 'tool-call') found.push(event.argsValid);
    },
  });

  return found;
}

describe('the event `tool-call` has `argsValid: false`', () => {
  const execute = () => 'paid';

  it.each([new ToolFailed('No.'), new ModelRetry('No.')])(
    'if a validator rejects the arguments with %o',
    async (signal) => {
      const pay = tool({ name: 'pay', execute, argsValidator: () => Promise.reject(signal) });

      expect(await argsValidOf(pay)).toEqual([false]);
    },
  );

  it.each([new ToolFailed('No.'), new ModelRetry('No.')])(
    'if a hook around the validation rejects the arguments with %o',
    async (signal) => {
      const hook = { name: 'strict', wrapToolValidation: () => Promise.reject(signal) };

      expect(await argsValidOf(tool({ name: 'pay', execute }), [hook])).toEqual([false]);
    },
  );

  it('not if the tool itself fails', async () => {
    const pay = tool({ name: 'pay', execute: () => Promise.reject(new ToolFailed('No.')) });

    expect(await argsValidOf(pay)).toEqual([true]);
  });
});
