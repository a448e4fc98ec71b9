import {
  type Desk,
  openDesk,
  type RequestOptions,
  type RunRow,
  type ServedDesk,
} from '@holdpoint/desk';
import { Agent } from 'holdpoint';
import { TestModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { type OpenedStore, STORES } from '../support/opened-store.ts';
import { ADA, decide, GRACE, onlyHold } from '../support/people.ts';

const BOT = { id: 'billing-bot' };
const SCHEMA = {
  type: 'object',
  properties: { euros: { type: 'number', maximum: 1_000 }, to: { type: 'string' } },
  required: ['euros', 'to'],
  additionalProperties: false,
};
const REFUND = { euros: 20, to: 'ada' };
const LEASE = 10_000;
const agent = new Agent({ model: new TestModel() });

function open({ store }: OpenedStore): ServedDesk<string, RunRow, 'refund' | 'transfer' | 'ship'> {
  return openDesk({
    store,
    agents: {},
    requests: {
      tools: {
        refund: { approvers: { notRequester: true, grants: 'agent' }, schema: SCHEMA },
        transfer: {
          approvers: ({ args }) => ({ count: Number(Object(args).euros) >= 1_000 ? 2 : 1 }),
          expiresAfter: 60_000,
        },
        ship: { approvers: { decisionValidFor: 1_000 }, schema: { type: 'object' } },
      },
    },
  });
}

async function approved(desk: Desk): Promise<string> {
  const { id } = await desk.request('refund', REFUND, { by: BOT, requester: ADA });
  await decide(desk, await onlyHold(desk, id), { kind: 'approve' });
  return id;
}

const by = { by: BOT };

describe.each(STORES)('a request from outside, %s', (_, openStore) => {
  it('is decided like a hold, claimed once and settled', async () => {
    await using opened = await openStore();
    const desk = open(opened);
    const pending = await desk.request('refund', REFUND, {
      by: BOT,
      requester: ADA,
      description: 'Order 17 arrived broken.',
      context: { order: 17 },
      preview: 'Pays 20 euros to Ada.',
    });
    expect(pending).toMatchObject({ state: 'pending', toolName: 'refund', args: REFUND });
    expect(pending.effectiveArgs).toBeUndefined();
    const hold = await onlyHold(desk, pending.id);
    expect(hold).toMatchObject({ requester: ADA, otherRequesters: [BOT], metadata: { order: 17 } });
    await expect(desk.requests.claim(pending.id, by)).rejects.toMatchObject({
      code: 'request-not-approved',
    });

    await decide(desk, hold, { kind: 'approve', reason: 'Seen the photo.' });

    expect(await desk.requests.get(pending.id)).toMatchObject({
      state: 'approved',
      effectiveArgs: REFUND,
      decision: { kind: 'approve', isEdited: false, by: GRACE, reason: 'Seen the photo.' },
    });
    const claim = await desk.requests.claim(pending.id, { ...by, lease: LEASE });
    expect(claim).toMatchObject({ args: REFUND, fence: 1, toolName: 'refund' });
    await expect(desk.requests.claim(pending.id, by)).rejects.toMatchObject({
      code: 'request-claimed',
    });
    const value = { receipt: 4 };
    const settled = { kind: 'value', value } as const;
    const { token } = claim;
    const done = await desk.requests.settle(pending.id, settled, { ...by, token });
    expect(done).toMatchObject({ state: 'settled', outcome: settled });
    // A repeated settlement after a lost response has no further effect.
    expect(await desk.requests.settle(pending.id, settled, { ...by, token })).toEqual(done);
    await expect(
      desk.requests.settle(pending.id, { kind: 'value', value: 5 }, { ...by, token }),
    ).rejects.toMatchObject({ code: 'request-lost' });
    const audit = await desk.audit(pending.id);
    expect(audit.map(({ kind }) => kind)).toEqual([
      'run-started',
      'run-parked',
      'hold-opened',
      'hold-decided',
      'call-started',
      'call-settled',
      'run-finished',
    ]);
    expect(await desk.drain()).toBe(0);
  });

  it('executes with the arguments of an approved edit, which fit the schema', async () => {
    await using opened = await openStore();
    const desk = open(opened);
    const { id } = await desk.request('refund', REFUND, { by: BOT, requester: ADA });
    const hold = await onlyHold(desk, id);
    const tooMuch = { kind: 'approve', args: { ...REFUND, euros: 1_001 } } as const;
    await expect(decide(desk, hold, tooMuch)).rejects.toMatchObject({ code: 'edit-does-not-fit' });

    await decide(desk, hold, { kind: 'approve', args: { ...REFUND, euros: 10 } });
    await desk.decide(
      hold.id,
      { kind: 'approve' },
      {
        by: { id: 'linus' },
        digest: (await desk.hold(hold.id)).digest,
      },
    );

    expect(await desk.requests.get(id)).toMatchObject({ decision: { isEdited: true } });
    expect(await desk.requests.claim(id, by)).toMatchObject({ args: { ...REFUND, euros: 10 } });
  });

  it('ends when it is denied, expired or cancelled, and is never claimed', async () => {
    await using opened = await openStore();
    const desk = open(opened);
    const transferring = { by: BOT, schema: SCHEMA };
    const denied = await desk.request('refund', REFUND, { by: BOT });
    const expired = await desk.request('transfer', REFUND, transferring);
    const cancelled = await desk.request('transfer', REFUND, transferring);
    await decide(desk, await onlyHold(desk, denied.id), { kind: 'deny', reason: 'No.' });
    await desk.requests.cancel(cancelled.id, by);
    opened.clock.advance(60_001);
    expect(await desk.drain()).toBe(1);

    expect(await desk.requests.get(denied.id)).toMatchObject({
      state: 'denied',
      outcome: { kind: 'denied', reason: 'No.' },
    });
    expect(await desk.requests.get(expired.id)).toMatchObject({ state: 'expired' });
    expect(await desk.requests.get(cancelled.id)).toMatchObject({ state: 'cancelled' });
    for (const { id } of [denied, expired, cancelled]) {
      await expect(desk.requests.claim(id, by)).rejects.toMatchObject({
        code: 'request-not-approved',
      });
    }
    const { items } = await desk.requests.list({ by: BOT });
    expect(new Set(items.map(({ state }) => state))).toEqual(
      new Set(['cancelled', 'denied', 'expired']),
    );
  });

  it('ends with the message of an approver who requests changes, and is never claimed', async () => {
    await using opened = await openStore();
    const desk = open(opened);
    const { id } = await desk.request('refund', REFUND, { by: BOT, requester: ADA });
    const hold = await onlyHold(desk, id);
    const message = 'Which order is this for?';
    await expect(
      desk.decide(hold.id, { kind: 'retry', message }, { by: ADA, digest: hold.digest }),
    ).rejects.toMatchObject({ code: 'may-not-decide' });

    await decide(desk, hold, { kind: 'retry', message });

    expect(await desk.requests.get(id)).toMatchObject({
      state: 'changes-requested',
      outcome: { kind: 'retry', message },
      decision: { kind: 'retry', isEdited: false, by: GRACE, reason: message },
    });
    await expect(desk.requests.claim(id, by)).rejects.toMatchObject({
      code: 'request-not-approved',
    });
    expect((await desk.requests.get(id)).effectiveArgs).toBeUndefined();
    expect(await desk.requestedChanges(hold.id)).toMatchObject([{ message, by: GRACE }]);
    expect(await desk.drain()).toBe(0);
  });

  it('is in doubt after its lease, and a person decides', async () => {
    await using opened = await openStore();
    const desk = open(opened);
    const id = await approved(desk);
    const first = await desk.requests.claim(id, { ...by, lease: LEASE });
    opened.clock.advance(LEASE - 1);
    await desk.requests.heartbeat(id, { ...by, token: first.token, lease: LEASE });
    opened.clock.advance(LEASE - 1);
    expect(await desk.drain()).toBe(0);
    opened.clock.advance(1);
    const value = { kind: 'value', value: 1 } as const;
    // The lease counts, whether a worker has noticed it or not.
    const late = { ...by, token: first.token };
    await expect(desk.requests.settle(id, value, late)).rejects.toMatchObject({
      code: 'request-lost',
    });
    expect(await desk.requests.get(id)).toMatchObject({ state: 'in-doubt' });
    expect(await desk.drain()).toBe(1);
    await expect(desk.requests.settle(id, value, late)).rejects.toMatchObject({
      code: 'request-lost',
    });
    await expect(desk.requests.heartbeat(id, late)).rejects.toMatchObject({ code: 'request-lost' });

    // Another attempt, with the same approval process.
    const doubted = await onlyHold(desk, id);
    expect(doubted).toMatchObject({ inDoubt: { attempt: first.token }, args: REFUND, park: 2 });
    await decide(desk, doubted, { kind: 'approve' });
    await expect(desk.requests.claim(id, { ...by, token: first.token })).rejects.toMatchObject({
      code: 'request-lost',
    });
    const second = await desk.requests.claim(id, { ...by, lease: LEASE });
    expect(second.fence).toBeGreaterThan(first.fence);
    await expect(desk.requests.settle(id, value, late)).rejects.toMatchObject({
      code: 'request-lost',
    });
    const unknown = { kind: 'unknown', reason: 'The bank timed out.' } as const;
    await desk.requests.settle(id, unknown, { ...by, token: second.token });

    // A person looked it up, and records the result.
    const again = await onlyHold(desk, id);
    expect(again.inDoubt?.reason).toBe('The bank timed out.');
    await decide(desk, again, { kind: 'result', value: { receipt: 9 } });
    expect(await desk.requests.get(id)).toMatchObject({
      state: 'settled',
      outcome: { kind: 'value', value: { receipt: 9 } },
    });
  });

  it('can be claimed again after a release, and repeats a claim with its token', async () => {
    await using opened = await openStore();
    const desk = open(opened);
    const id = await approved(desk);
    const token = 'a-random-token-0001';
    const claim = await desk.requests.claim(id, { ...by, token });
    expect(await desk.requests.claim(id, { ...by, token })).toEqual(claim);
    expect(await desk.requests.release(id, { ...by, token })).toMatchObject({ state: 'approved' });
    await expect(desk.requests.heartbeat(id, { ...by, token })).rejects.toMatchObject({
      code: 'request-lost',
    });
    expect((await desk.requests.claim(id, by)).fence).toBe(2);
  });

  it('needs the approvals that the policy demands for an edit', async () => {
    await using opened = await openStore();
    const desk = open(opened);
    const schema = { type: 'object' };
    const { id } = await desk.request('transfer', { euros: 20 }, { by: BOT, schema });
    await decide(desk, await onlyHold(desk, id), { kind: 'approve', args: { euros: 5_000 } });
    expect(await desk.requests.get(id)).toMatchObject({ state: 'pending' });
    const { digest, id: holdId } = await onlyHold(desk, id);
    await desk.decide(holdId, { kind: 'approve' }, { by: { id: 'linus' }, digest });
    expect(await desk.requests.claim(id, by)).toMatchObject({ args: { euros: 5_000 } });
  });

  it('is opened again if it is claimed after its approval has expired', async () => {
    await using opened = await openStore();
    const desk = open(opened);
    const { id } = await desk.request('ship', {}, by);
    const hold = await onlyHold(desk, id);
    await decide(desk, hold, { kind: 'approve' });
    opened.clock.advance(1_001);
    await expect(desk.requests.claim(id, by)).rejects.toMatchObject({
      code: 'request-not-approved',
    });
    const reopened = await onlyHold(desk, id);
    expect(reopened.votes ?? []).toEqual([]);
    await decide(desk, reopened, { kind: 'approve' });
    expect(await desk.requests.claim(id, by)).toMatchObject({ fence: 1 });
  });

  it('is approved by a grant of the same owner, tool and schema only', async () => {
    await using opened = await openStore();
    const desk = open(opened);
    const { id } = await desk.request('refund', REFUND, { by: BOT, requester: ADA });
    const { id: holdId, digest } = await onlyHold(desk, id);
    const scope = 'agent' as const;
    const grant = { match: 'tool', scope } as const;
    await desk.decide(holdId, { kind: 'approve' }, { by: GRACE, digest, grant });

    const same = await desk.request(
      'refund',
      { ...REFUND, euros: 21 },
      { by: BOT, requester: ADA },
    );
    const other = await desk.request('refund', REFUND, { by: { id: 'other-bot' }, requester: ADA });

    expect(same.state).toBe('approved');
    expect(other.state).toBe('pending');
    expect(await desk.requests.claim(same.id, by)).toMatchObject({ args: { euros: 21 } });
  });

  it('is created once for an idempotency key of its owner', async () => {
    await using opened = await openStore();
    const desk = open(opened);
    const key = { idempotencyKey: 'order-17' };
    const options = { by: BOT, requester: ADA, ...key };
    const both = await Promise.all([
      desk.request('refund', REFUND, options),
      desk.request('refund', REFUND, options),
    ]);
    expect(both[0].id).toBe(both[1].id);
    await expect(desk.request('refund', { ...REFUND, euros: 9 }, options)).rejects.toMatchObject({
      code: 'idempotency-key-reused',
    });
    const other = await desk.request('refund', REFUND, { ...options, by: { id: 'other-bot' } });
    expect(other.id).not.toBe(both[0].id);
  });

  it('is returned for its idempotency key after the desk declares another schema', async () => {
    await using opened = await openStore();
    const options = { by: BOT, idempotencyKey: 'order-17' };
    const { id } = await open(opened).request('refund', REFUND, options);
    const properties = { ...SCHEMA.properties, note: { type: 'string' } };
    const refund = { approvers: {}, schema: { ...SCHEMA, properties } };
    const deployed = openDesk({
      store: opened.store,
      agents: {},
      requests: { tools: { refund } },
    });

    expect((await deployed.request('refund', REFUND, options)).id).toBe(id);
  });

  it('belongs to its owner alone, in its tenant', async () => {
    await using opened = await openStore();
    const desk = open(opened);
    const id = await approved(desk);
    const stranger = { by: { id: 'other-bot' } };
    const { requests } = desk;
    const missing = { code: 'not-found' };
    await expect(requests.claim(id, stranger)).rejects.toMatchObject(missing);
    await expect(requests.cancel(id, stranger)).rejects.toMatchObject(missing);
    await expect(desk.forTenant('acme').requests.claim(id, by)).rejects.toMatchObject(missing);
    await expect(desk.forTenant('acme').requests.get(id)).rejects.toMatchObject(missing);
    const { token } = await requests.claim(id, by);
    const claim = { ...stranger, token };
    await expect(requests.settle(id, { kind: 'error', message: '' }, claim)).rejects.toMatchObject(
      missing,
    );
    await expect(requests.cancel(id, by)).rejects.toMatchObject({ code: 'request-claimed' });
    // An operator cannot cancel it as a run either: the executor may have started the call.
    await expect(desk.cancel(id, by)).rejects.toMatchObject({ code: 'request-claimed' });
  });

  it('is redacted by the rules of its tool', async () => {
    await using opened = await openStore();
    const desk = openDesk({
      store: opened.store,
      agents: {},
      redact: { refund: ['to'] },
      requests: { tools: { refund: { approvers: {}, schema: SCHEMA } } },
    });
    const { id } = await desk.request('refund', { euros: 20, to: 'secret-account' }, by);
    const hold = await onlyHold(desk, id);
    expect(hold.searchText).not.toContain('secret-account');
    await decide(desk, hold, { kind: 'approve' });
    expect(await desk.requests.claim(id, by)).toMatchObject({ args: { to: 'secret-account' } });
  });

  it('fails closed', async () => {
    await using opened = await openStore();
    const desk = open(opened);
    // @ts-expect-error a misspelt name
    await expect(desk.request('refnud', REFUND, by)).rejects.toThrow('Did you mean `refund`?');
    await expect(desk.request('refund', { euros: 1 }, by)).rejects.toMatchObject({
      code: 'arguments-do-not-fit',
    });
    await expect(desk.request('transfer', REFUND, by)).rejects.toThrow('Send `schema`');
    await expect(desk.request('refund', REFUND, { ...by, schema: {} })).rejects.toThrow('declared');
    const { id, holdId } = await desk.request('refund', REFUND, { by: BOT, requester: ADA });
    const { digest, conversationId } = await desk.hold(holdId);
    for (const approver of [BOT, ADA]) {
      await expect(
        desk.decide(holdId, { kind: 'approve' }, { by: approver, digest }),
      ).rejects.toMatchObject({ code: 'may-not-decide' });
    }
    await expect(desk.message(conversationId, 'Hello')).rejects.toThrow('request');
    await expect(desk.work({ runId: id })).resolves.toMatchObject({ state: 'parked' });
    const { store } = opened;
    expect(() => openDesk({ store, agents: { 'outside:bot': { agent } } })).toThrow('outside:');
    // @ts-expect-error every tool needs a rule
    const requests: RequestOptions = { tools: { refund: {} } };
    expect(() => openDesk({ store, agents: {}, requests })).toThrow('approvers');
  });

  it('is in doubt if the database was restored after the approval', async () => {
    await using opened = await openStore();
    const desk = open(opened);
    const id = await approved(desk);
    opened.clock.advance(1);
    await desk.markRestoredFromBackup();
    await expect(desk.requests.claim(id, by)).rejects.toMatchObject({
      code: 'request-not-approved',
    });
    const hold = await onlyHold(desk, id);
    expect(hold.inDoubt?.reason).toContain('backup');
    opened.clock.advance(1);
  });
});
