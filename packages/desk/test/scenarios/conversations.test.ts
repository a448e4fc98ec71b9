import { type Desk, openDesk, type Store } from '@holdpoint/desk';
import { Agent, UserError } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { type Bank, echoModel, newBank, output, pay, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, onlyHold, decide } from '../support/people.ts';

const deskOn = (store: Store, bank: Bank = newBank()): Desk =>
  openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });

describe.each(STORES)('a conversation at a desk %s', (_, open) => {
  it('continues with another run that has its history', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const first = await desk.start('teller', 'Hello');
    const { conversationId } = await desk.work({ runId: first });

    const second = await desk.message(conversationId, 'And again', { requester: ADA });
    const done = await desk.work({ runId: second });

    expect(second).not.toBe(first);
    expect(done).toMatchObject({
      agent: 'teller',
      output: 'You said: And again',
      firstPosition: 2,
    });
    expect(await desk.history(conversationId)).toHaveLength(4);
  });

  it('rejects a message while calls are pending, and stays parked', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'pay acme');
    const { conversationId } = await desk.work({ runId });

    await expect(desk.message(conversationId, 'Hello?')).rejects.toMatchObject({
      code: 'open-holds',
    });
    await expect(desk.start('teller', 'Hello?', { conversationId })).rejects.toMatchObject({
      code: 'conversation-busy',
    });

    const hold = await onlyHold(desk, runId);
    await decide(desk, hold, { kind: 'approve' });
    expect((await desk.work({ runId })).state).toBe('finished');
  });

  it('supersedes pending calls on request: approved calls execute, and the others are not denied', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, bank);
    const runId = await desk.start('teller', 'pay a, pay b, look_up c');
    const { conversationId } = await desk.work({ runId });
    const [a, b, c] = (await desk.holds({ runId })).items;
    await decide(desk, a!, { kind: 'approve' });

    const same = await desk.message(conversationId, 'Never mind b', { onOpenHolds: 'supersede' });
    const done = await desk.work({ runId });

    expect(same).toBe(runId);
    expect(bank.paid).toMatchObject([{ to: 'a' }]);
    expect(done.output).toBe('You said: Never mind b');
    const history = JSON.stringify(await desk.history(conversationId));
    expect(history).toContain(
      'A newer message replaced this tool call before it received a decision or result.',
    );
    expect(history).toContain('it was not denied');
    expect(history.match(/"outcome":"\w+"/g)).toEqual([
      '"outcome":"success"',
      '"outcome":"superseded"',
      '"outcome":"superseded"',
    ]);
    expect(await desk.hold(b!.id)).toMatchObject({
      state: 'consumed',
      outcome: 'superseded',
    });
    expect((await desk.hold(c!.id)).outcome).toBe('superseded');
    await expect(decide(desk, b!, { kind: 'approve' })).rejects.toMatchObject({
      code: 'hold-settled',
    });
  });

  it('rejects a message while its run is ready, and an unknown conversation', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'Hello');
    const { conversationId } = await desk.run(runId);

    await expect(
      desk.message(conversationId, 'Hello?', { onOpenHolds: 'supersede' }),
    ).rejects.toMatchObject({ code: 'conversation-busy' });
    await expect(desk.message('nobody', 'Hello?')).rejects.toMatchObject({ code: 'not-found' });
    expect(() => desk.forTenant('a\u0000b')).toThrow(UserError);
    await expect(desk.message('\ud800', 'Hello?')).rejects.toThrow(UserError);
  });

  it('keeps one system prompt at the start after more messages', async () => {
    await using opened = await open();
    const agent = new Agent({ model: echoModel, tools: [pay], systemPrompt: 'Be kind.', output });
    const desk = openDesk({
      store: opened.store,
      agents: { kind: { agent, deps: () => newBank() } },
    });
    const runId = await desk.start('kind', 'Hello');
    const { conversationId } = await desk.work({ runId });
    await desk.work({ runId: await desk.message(conversationId, 'Again') });

    const history = await desk.history(conversationId);
    const kinds = history.flatMap((message) => message.parts.map((part) => part.kind));
    expect(kinds).toEqual(['system-prompt', 'user-prompt', 'text', 'user-prompt', 'text']);
  });
});

describe.each(STORES)('starting a run at a desk %s', (_, open) => {
  it('returns one run for concurrent and repeated starts with one key', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, bank);
    const start = () => desk.start('teller', 'book x', { idempotencyKey: 'mail-1' });

    const ids = await Promise.all([start(), start(), start()]);
    await desk.drain();

    expect(new Set([...ids, await start()]).size).toBe(1);
    expect(bank.paid).toHaveLength(1);
    await expect(
      desk.start('teller', 'book y', { idempotencyKey: 'mail-1' }),
    ).rejects.toMatchObject({ code: 'idempotency-key-reused' });
    const other = await desk
      .forTenant('other')
      .start('teller', 'book y', { idempotencyKey: 'mail-1' });
    expect(ids).not.toContain(other);
  });

  it('accepts prompts with files, and rejects unknown agents', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const data = 'aGVsbG8=';

    const runId = await desk.start('teller', [
      'Look at this',
      { kind: 'binary', data, mediaType: 'text/plain' },
    ]);
    const { conversationId, state } = await desk.work({ runId });

    expect(state).toBe('finished');
    expect(JSON.stringify(await desk.history(conversationId))).toContain(data);
    await expect(desk.start('nobody', 'Hello')).rejects.toMatchObject({ code: 'unknown-agent' });
    await expect(desk.start('__proto__', 'Hello')).rejects.toMatchObject({ code: 'unknown-agent' });
  });

  it('returns random ids', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);

    const ids = await Promise.all(Array.from({ length: 50 }, () => desk.start('teller', 'Hello')));

    expect(new Set(ids).size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });
});
