import {
  type Approvers,
  type Decision,
  type Desk,
  type HoldRow,
  openDesk,
  type Store,
  TamperedError,
} from '@holdpoint/desk';
import { Agent } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { lastContents, newBank, output, pay } from '../support/bank.ts';
import { crashingStore } from '../support/crashing-store.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, onlyHold } from '../support/people.ts';

const BOB = { id: 'bob', name: 'Bob' };
const CY = { id: 'cy' };
const QUESTION = 'Which invoice is this for?';
const CHANGES: Decision = { kind: 'retry', message: QUESTION };

/**
 * Pays the amount in the prompt. Responds to a request for changes with text and, if requested,
 * with another payment.
 */
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind === 'user-prompt') return calls('pay', { to: String(last.content) });
  if (last?.kind !== 'retry-prompt') return says(`Results: ${lastContents(messages)}`);
  if (last.content === QUESTION) {
    return responds(says('It is for invoice 7.'), calls('pay', { to: 'acme', euros: 7 }));
  }
  return says('I do not know.');
});

const clerk = new Agent({ name: 'clerk', model, tools: [pay], output });

function deskOn(store: Store, approvers?: Approvers) {
  const bank = newBank();
  const errors: unknown[] = [];
  const desk = openDesk({
    store,
    agents: { clerk: { agent: clerk, deps: () => bank } },
    onError: (error: unknown) => errors.push(error),
    ...(approvers && { approvers }),
  });
  return { bank, desk, errors };
}

async function parked(desk: Desk, prompt = 'acme'): Promise<HoldRow> {
  const runId = await desk.start('clerk', prompt, { requester: ADA });
  await desk.work({ runId });
  return onlyHold(desk, runId);
}

function decide(
  desk: Desk,
  { id, digest }: HoldRow,
  by: { readonly id: string },
  decision: Decision = CHANGES,
): Promise<HoldRow> {
  return desk.decide(id, decision, { by, digest });
}

/** Returns the requests for changes that the model received. */
async function received(desk: Desk, { conversationId }: HoldRow): Promise<readonly unknown[]> {
  const messages = await desk.history(conversationId);
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'retry-prompt' ? [part.content] : [])),
  );
}

describe.each(STORES)('changes requested from the model %s', (_, open) => {
  it('close the hold with one decision, and the model may call again', async () => {
    await using opened = await open();
    const { bank, desk } = deskOn(opened.store, { count: 2 });
    const hold = await parked(desk);

    const decided = await decide(desk, hold, BOB);

    expect(decided).toMatchObject({ state: 'decided', outcome: 'decided' });
    await desk.work({ runId: hold.runId });
    expect(await received(desk, hold)).toEqual([QUESTION]);
    expect(await desk.hold(hold.id)).toMatchObject({ state: 'consumed', decisions: [{ by: BOB }] });
    const next = await onlyHold(desk, hold.runId);
    expect(next).toMatchObject({ args: { to: 'acme', euros: 7 }, park: 2 });
    expect(next.votes).toBeUndefined();
    await decide(desk, next, BOB, { kind: 'approve' });
    await decide(desk, next, CY, { kind: 'approve' });
    expect((await desk.work({ runId: hold.runId })).state).toBe('finished');
    expect(bank.paid).toMatchObject([{ to: 'acme', euros: 7 }]);
  });

  it('do not execute an edit that another approver proposed', async () => {
    await using opened = await open();
    const { bank, desk } = deskOn(opened.store, { count: 2 });
    const hold = await parked(desk);
    const args = { to: 'mallory', euros: 9 };
    const { shown } = await desk.previewEdit(hold.id, args);
    const edit: Decision = { kind: 'approve', args };
    const edited = await desk.decide(hold.id, edit, { by: BOB, digest: hold.digest, shown });

    const decided = await decide(desk, edited, CY);

    expect(decided).toMatchObject({ state: 'decided', outcome: 'decided' });
    expect((await desk.work({ runId: hold.runId })).state).toBe('parked');
    expect(await onlyHold(desk, hold.runId)).toMatchObject({ args: { to: 'acme', euros: 7 } });
    expect(await received(desk, hold)).toEqual([QUESTION]);
    expect(bank.paid).toEqual([]);
  });

  it('need an eligible approver: the rule and separation of duties apply', async () => {
    await using opened = await open();
    const { desk } = deskOn(opened.store, { people: ['ada', 'cy'], notRequester: true });
    const hold = await parked(desk);

    for (const by of [ADA, BOB]) {
      await expect(decide(desk, hold, by)).rejects.toMatchObject({ code: 'may-not-decide' });
    }

    expect((await desk.hold(hold.id)).decisions).toEqual([]);
    expect(await decide(desk, hold, CY)).toMatchObject({ state: 'decided' });
  });

  it('can be requested by the author of an edit and by a delegate', async () => {
    await using opened = await open();
    const approvers: Approvers = { people: ['bob', 'cy'], count: 2, notRequester: true };
    const { desk } = deskOn(opened.store, approvers);
    const hold = await parked(desk);
    const edit: Decision = { kind: 'approve', args: { to: 'acme', euros: 1 } };
    const edited = await decide(desk, hold, BOB, edit);
    expect(await decide(desk, edited, BOB)).toMatchObject({ state: 'decided' });

    const other = await parked(desk);
    const until = opened.clock.now() + 60_000;
    await desk.delegate({ from: CY, to: { id: 'dora' }, until });
    const { id, digest } = other;
    const decided = desk.decide(id, CHANGES, { by: { id: 'dora' }, digest, onBehalfOf: CY });
    expect(await decided).toMatchObject({ state: 'decided' });
    const [request] = await desk.requestedChanges(other.id);
    expect(request).toMatchObject({ by: { id: 'dora' }, onBehalfOf: { id: 'cy' } });
  });

  it('create no grant, and no grant approves the next call of the tool in the run', async () => {
    await using opened = await open();
    const { bank, desk } = deskOn(opened.store, { count: 2, grants: 'tenant' });
    const hold = await parked(desk);
    const grant = { match: 'tool', scope: 'tenant' } as const;
    const other = await parked(desk, 'other');
    const proposed = await desk.decide(
      hold.id,
      { kind: 'approve' },
      { by: BOB, digest: hold.digest, grant },
    );
    await decide(desk, proposed, CY);
    expect((await desk.grants()).items).toEqual([]);

    const { digest } = other;
    const wish = await desk.decide(other.id, { kind: 'approve' }, { by: BOB, digest, grant });
    await decide(desk, wish, CY, { kind: 'approve' });
    await desk.work({ runId: other.runId });
    expect((await desk.grants()).items).toHaveLength(1);
    expect((await desk.work({ runId: hold.runId })).state).toBe('parked');
    expect(await onlyHold(desk, hold.runId)).toMatchObject({ state: 'open', park: 2 });
    expect(bank.paid).toMatchObject([{ to: 'other' }]);
  });

  it('are listed for the next hold, with the text of the model', async () => {
    await using opened = await open();
    const { desk } = deskOn(opened.store);
    const hold = await parked(desk);
    expect(await desk.requestedChanges(hold.id)).toEqual([]);
    await decide(desk, hold, BOB);
    const request = { holdId: hold.id, message: QUESTION, by: BOB, at: expect.any(Number) };
    expect(await desk.requestedChanges(hold.id)).toEqual([request]);
    await desk.work({ runId: hold.runId });
    const next = await onlyHold(desk, hold.runId);

    const complete = { ...request, response: { text: 'It is for invoice 7.', holdIds: [next.id] } };
    expect(await desk.requestedChanges(hold.id)).toEqual([complete]);
    expect(await desk.requestedChanges(next.id)).toEqual([complete]);
    await decide(desk, next, CY, { kind: 'retry', message: 'Which month?' });
    expect((await desk.work({ runId: hold.runId })).state).toBe('finished');
    expect(await desk.requestedChanges(next.id)).toEqual([
      complete,
      {
        holdId: next.id,
        message: 'Which month?',
        by: CY,
        at: expect.any(Number),
        response: { text: 'I do not know.', holdIds: [] },
      },
    ]);
    expect(await desk.requestedChanges((await parked(desk)).id)).toEqual([]);
  });

  it.each(['before', 'after'] as const)(
    'reach the model once if the worker dies %s any of its commits',
    async (side) => {
      await using opened = await open();
      const { bank, desk } = deskOn(opened.store);
      for (let nth = 1, isOver = false; !isOver; nth += 1) {
        const hold = await parked(desk);
        await decide(desk, hold, BOB);
        const dying = crashingStore(opened.store, nth, side);
        const { desk: first } = deskOn(dying.store);
        await first.work({ runId: hold.runId }).catch(() => {});
        await dying.atRest();
        isOver = !dying.hasCrashed();
        opened.clock.advance(600_000);

        const run = await desk.work({ runId: hold.runId });

        expect(run.state).toBe('parked');
        expect(await received(desk, hold)).toEqual([QUESTION]);
        expect(await onlyHold(desk, hold.runId)).toMatchObject({ park: 2 });
      }
      expect(bank.paid).toEqual([]);
    },
  );

  it('stop the run if their row was changed to an approval', async () => {
    await using opened = await open();
    const { bank, desk, errors } = deskOn(opened.store);
    const hold = await parked(desk);
    await decide(desk, hold, BOB);
    await opened.store.write(async (tx) => {
      const [row] = await tx.decisions.ofHold('default', hold.id);
      await tx.decisions.put({ ...row!, decision: { kind: 'approve' } });
    });

    const run = await desk.work({ runId: hold.runId });

    expect(run).toMatchObject({ state: 'stuck', error: { code: 'tampered' } });
    expect(bank.paid).toEqual([]);
    expect(errors).toMatchObject([expect.any(TamperedError)]);
  });

  it('are recorded in the audit, and the audit verifies', async () => {
    await using opened = await open();
    const { desk } = deskOn(opened.store);
    const hold = await parked(desk);
    await decide(desk, hold, BOB);

    const entries = await desk.audit(hold.runId);
    const entry = entries.find(({ kind }) => kind === 'hold-decided');

    expect(entry).toMatchObject({ by: BOB, data: { kind: 'retry', holdId: hold.id } });
    expect(JSON.stringify(entries)).not.toContain(QUESTION);
  });

  it('need a message', async () => {
    await using opened = await open();
    const { desk } = deskOn(opened.store);
    const hold = await parked(desk);

    for (const message of ['', '  ']) {
      const decided = decide(desk, hold, BOB, { kind: 'retry', message });
      await expect(decided).rejects.toThrow(/message/);
    }
  });
});
