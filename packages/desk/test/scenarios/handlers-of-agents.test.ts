// Agents that decide calls with a handler of their own, such as one that was written for the terminal.
import { openDesk } from '@holdpoint/desk';
import { Agent, approveAll, type DeferredToolHandler, denyAll } from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { type Bank, echoModel, newBank, output, pay } from '../support/bank.ts';
import { type OpenedStore, STORES } from '../support/opened-store.ts';
import { ADA, decide, onlyHold } from '../support/people.ts';

const base = { name: 'teller', model: echoModel, tools: [pay], output } as const;

const withHandler = (deferredToolHandler: DeferredToolHandler) =>
  new Agent({ ...base, deferredToolHandler });

const withCapability = (handler: DeferredToolHandler) =>
  new Agent({ ...base, capabilities: [handleDeferredToolCalls(handler)] });

/** An agent whose sub-agent has the handler. */
function withSubAgent(handler: DeferredToolHandler) {
  const model = functionModel(({ messages }) =>
    messages.at(-1)?.parts.at(-1)?.kind === 'user-prompt'
      ? calls('teller', { prompt: 'pay acme' })
      : says('Done.'),
  );
  return new Agent({ name: 'lead', model, tools: [withHandler(handler).asTool()], output });
}

type AnyTeller = ReturnType<typeof withHandler> | ReturnType<typeof withSubAgent>;

async function parkAt({ store }: OpenedStore, agent: AnyTeller, bank: Bank) {
  const desk = openDesk({ store, agents: { teller: { agent, deps: () => bank } } });
  const runId = await desk.start('teller', 'pay acme', { requester: ADA });
  await desk.drain();
  return { desk, runId };
}

describe.each(STORES)('an agent with a handler at a desk %s', (_, open) => {
  it.each([
    ['its `deferredToolHandler`', withHandler],
    ['a capability', withCapability],
    ['its sub-agent', withSubAgent],
  ])(
    'executes a call that %s approved only after an approver approves it',
    async (_name, create) => {
      await using opened = await open();
      const bank = newBank();
      const { desk, runId } = await parkAt(opened, create(approveAll()), bank);
      expect(bank.paid).toEqual([]);

      const hold = await onlyHold(desk, runId);
      expect(hold).toMatchObject({ toolName: 'pay' });
      await decide(desk, hold, { kind: 'approve' });
      await desk.drain();

      expect((await desk.run(runId)).state).toBe('finished');
      expect(bank.paid).toMatchObject([{ to: 'acme' }]);
    },
  );

  it('does not execute a call that the handler denied', async () => {
    await using opened = await open();
    const bank = newBank();

    const { desk, runId } = await parkAt(opened, withHandler(denyAll('No.')), bank);

    expect((await desk.run(runId)).state).toBe('finished');
    expect(bank.paid).toEqual([]);
  });
});
