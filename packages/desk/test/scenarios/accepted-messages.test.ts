import { type Desk, openDesk, type Store } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { type Bank, newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, GRACE, onlyHold, decide } from '../support/people.ts';

const deskOn = (store: Store, bank: Bank = newBank()): Desk =>
  openDesk({
    store,
    agents: { teller: { agent: teller, deps: () => bank } },
    approvers: { pay: { decisionValidFor: 60_000 } },
  });

/** The texts of all prompts that are in the history of a conversation. */
async function promptsIn(desk: Desk, conversationId: string): Promise<readonly string[]> {
  const history = await desk.history(conversationId);
  const requests = history.filter((message) => message.kind === 'request');
  const contents = requests.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'user-prompt' ? part.content : [])),
  );
  return contents.map((one) => (typeof one === 'string' ? one : one.kind));
}

async function parkedRun(desk: Desk): Promise<{ runId: string; conversationId: string }> {
  const runId = await desk.start('teller', 'pay acme', { requester: ADA });
  const { conversationId } = await desk.work({ runId });
  return { runId, conversationId };
}

describe.each(STORES)('desk B3: the idempotency key of a message %s', (_, open) => {
  it('returns the same run while the run is parked, ready and finished', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, bank);
    const { runId, conversationId } = await parkedRun(desk);
    const send = () =>
      desk.message(conversationId, 'pay other', {
        requester: ADA,
        idempotencyKey: 'mail-1',
        onOpenHolds: 'supersede',
      });

    expect(await send()).toBe(runId);
    expect(await send()).toBe(runId);
    await desk.work({ runId });
    expect(await send()).toBe(runId);
    const hold = await onlyHold(desk, runId);
    expect(hold.args).toEqual({ to: 'other' });
    await decide(desk, hold, { kind: 'approve' });
    await desk.work({ runId });
    expect(await send()).toBe(runId);
    await desk.drain();

    expect(await promptsIn(desk, conversationId)).toEqual(['pay acme', 'pay other']);
    expect(bank.paid).toMatchObject([{ to: 'other' }]);
    expect((await desk.runs({ conversationId })).items).toHaveLength(1);
  });

  it('security M8b: returns the same run after the new run of the message has parked', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const first = await desk.start('teller', 'Hello', { requester: ADA });
    const { conversationId } = await desk.work({ runId: first });
    const send = () =>
      desk.message(conversationId, 'pay acme', { requester: GRACE, idempotencyKey: 'mail-1' });

    const second = await send();
    await desk.work({ runId: second });

    expect((await desk.run(second)).state).toBe('parked');
    expect(await send()).toBe(second);
  });

  it('makes one run of messages that are sent at once with one key', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const first = await desk.start('teller', 'Hello', { requester: ADA });
    const { conversationId } = await desk.work({ runId: first });
    const send = () => desk.message(conversationId, 'Again', { idempotencyKey: 'mail-1' });

    const ids = await Promise.all([send(), send(), send()]);

    expect(new Set(ids).size).toBe(1);
  });

  it('rejects a key that was used for another message, conversation or start', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const { conversationId } = await parkedRun(desk);
    const other = await parkedRun(desk);
    const options = { requester: ADA, idempotencyKey: 'key', onOpenHolds: 'supersede' } as const;
    await desk.message(conversationId, 'Hello', options);

    const reused = { code: 'idempotency-key-reused' };
    await expect(desk.message(conversationId, 'Hello!', options)).rejects.toMatchObject(reused);
    await expect(desk.message(other.conversationId, 'Hello', options)).rejects.toMatchObject(
      reused,
    );
    const start = { requester: ADA, idempotencyKey: 'key' };
    await expect(desk.start('teller', 'Hello', start)).rejects.toMatchObject(reused);
  });

  it('does not bind a key to a message that was rejected', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const { runId, conversationId } = await parkedRun(desk);
    const options = { requester: ADA, idempotencyKey: 'key' };

    await expect(desk.message(conversationId, 'Hello', options)).rejects.toMatchObject({
      code: 'open-holds',
    });

    const supersede = { ...options, onOpenHolds: 'supersede' } as const;
    expect(await desk.message(conversationId, 'Hello', supersede)).toBe(runId);
  });
});

describe.each(STORES)('desk B23: the idempotency key of a requester %s', (_, open) => {
  it('security M8a: gives another requester a run of their own', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const start = (id: string) =>
      desk.start('teller', 'pay acme', { requester: { id }, idempotencyKey: 'key' });

    const mallory = await start('mallory');
    const ada = await start('ada');

    expect(ada).not.toBe(mallory);
    expect((await desk.run(ada)).requester).toEqual({ id: 'ada' });
    expect(await start('ada')).toBe(ada);
    expect(await start('ADA')).toBe(ada);
    const withoutRequester = await desk.start('teller', 'pay acme', { idempotencyKey: 'key' });
    expect([mallory, ada]).not.toContain(withoutRequester);
  });
});

describe.each(STORES)('desk B4: an acknowledged message %s', (_, open) => {
  it('is delivered once although a decision expired before a worker started', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'pay a, pay b', { requester: ADA });
    const { conversationId } = await desk.work({ runId });
    const [a] = (await desk.holds({ runId })).items;
    await decide(desk, a!, { kind: 'approve' });
    const supersede = { onOpenHolds: 'supersede', requester: ADA } as const;

    await desk.message(conversationId, 'First message', supersede);
    opened.clock.advance(61_000);
    await desk.work({ runId });
    expect((await desk.run(runId)).state).toBe('parked');
    await desk.message(conversationId, 'Second message', supersede);
    const done = await desk.work({ runId });

    expect(done.state).toBe('finished');
    expect(await promptsIn(desk, conversationId)).toEqual([
      'pay a, pay b',
      'First message',
      'Second message',
    ]);
  });

  it('is delivered once if the expired decision is made again', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, bank);
    const runId = await desk.start('teller', 'pay a, pay b', { requester: ADA });
    const { conversationId } = await desk.work({ runId });
    const [a] = (await desk.holds({ runId })).items;
    await decide(desk, a!, { kind: 'approve' });
    await desk.message(conversationId, 'Hello', { onOpenHolds: 'supersede', requester: ADA });
    opened.clock.advance(61_000);
    await desk.work({ runId });

    await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });
    await desk.work({ runId });

    expect(await promptsIn(desk, conversationId)).toEqual(['pay a, pay b', 'Hello']);
    expect(bank.paid).toMatchObject([{ to: 'a' }]);
  });

  it('is recorded as dropped if its run is cancelled first, and reaches no later run', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const { runId, conversationId } = await parkedRun(desk);
    const send = () =>
      desk.message(conversationId, 'Hello', {
        requester: ADA,
        idempotencyKey: 'key',
        onOpenHolds: 'supersede',
      });
    await send();

    await desk.cancel(runId, { by: GRACE });

    const audit = await desk.audit(runId);
    const hashes = audit.flatMap(({ kind, data }) =>
      kind === 'message-received' || kind === 'message-dropped' ? [data['message']] : [],
    );
    expect(hashes).toHaveLength(2);
    expect(new Set(hashes).size).toBe(1);
    expect(await send()).toBe(runId);
    await desk.work({ runId: await desk.message(conversationId, 'Next', { requester: ADA }) });
    expect(await promptsIn(desk, conversationId)).toEqual(['pay acme', 'Next']);
  });
});
