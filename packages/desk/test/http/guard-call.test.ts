import {
  CallFailedError,
  CallInDoubtError,
  type DeskClient,
  guardCall,
  type GuardedCall,
} from '@holdpoint/desk/client';
import type { Decision } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { STORES } from '../support/opened-store.ts';
import { OutsideDesk } from './support/outside-desk.ts';

const BODY = { tool: 'refund', args: { euros: 20 }, idempotencyKey: 'chat-1:call-1' };

/** A desk with a guarded call, and an approver. */
class Guarded {
  readonly site: OutsideDesk;
  readonly client: DeskClient;
  readonly executed: object[] = [];

  private constructor(site: OutsideDesk, client: DeskClient) {
    this.site = site;
    this.client = client;
  }

  static async open(opened: ConstructorParameters<typeof OutsideDesk>[0]): Promise<Guarded> {
    const site = new OutsideDesk(opened);
    return new Guarded(site, site.as(await site.key('billing', ['request'])));
  }

  /** Returns the call, as every process creates it. */
  call(): GuardedCall {
    return guardCall(this.client, BODY);
  }

  readonly pay = (args: object): string => {
    this.executed.push(args);
    return 'paid';
  };

  async decide(decision: Decision): Promise<void> {
    const { holdId } = await this.call().request();
    const grace = this.site.as('grace');
    const { digest } = (await grace.hold(holdId)).hold;
    await grace.decide(holdId, { digest, decision });
  }
}

describe('guardCall', () => {
  it('sends nothing before a method is called, and creates one request', async () => {
    await using opened = await STORES[0]![1]();
    const guarded = await Guarded.open(opened);
    const call = guarded.call();
    expect((await guarded.client.requests()).items).toEqual([]);

    const first = await call.request();
    const second = await guarded.call().request();

    expect(first).toMatchObject({ state: 'pending', args: { euros: 20 } });
    expect(second.id).toBe(first.id);
    expect((await guarded.client.requests()).items).toHaveLength(1);
  });

  it('executes an approved call once in all processes, with the edit of the approver', async () => {
    await using opened = await STORES[0]![1]();
    const guarded = await Guarded.open(opened);
    const all = [1, 2, 3].map(() => guarded.call().execute(guarded.pay));
    const decision = guarded.call().decision();
    await guarded.decide({ kind: 'approve', args: { euros: 5 } });

    expect(await decision).toEqual({ approved: true, reason: undefined });
    expect(await Promise.all(all)).toEqual(['paid', 'paid', 'paid']);
    expect(guarded.executed).toEqual([{ euros: 5 }]);
    // After the execution, the decision is still the same.
    expect(await guarded.call().decision()).toEqual({ approved: true, reason: undefined });
    expect(await guarded.call().execute(guarded.pay)).toBe('paid');
    expect(guarded.executed).toHaveLength(1);
  });

  it.each([
    [{ kind: 'deny', reason: 'The photo is old.' }, 'The photo is old.', 'denied'],
    [{ kind: 'deny' }, 'An approver denied the call.', 'denied'],
    [{ kind: 'retry', message: 'Which order?' }, 'Which order?', 'changes-requested'],
  ] as const)(
    'reports %o with its reason, and does not execute',
    async (decision, reason, state) => {
      await using opened = await STORES[0]![1]();
      const guarded = await Guarded.open(opened);
      await guarded.decide(decision);

      expect(await guarded.call().decision()).toEqual({ approved: false, reason });
      const error = await guarded
        .call()
        .execute(guarded.pay)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(CallFailedError);
      expect(error).toMatchObject({ message: reason, request: { state } });
      expect(guarded.executed).toEqual([]);
    },
  );

  it('reports that a call expired or was cancelled, and does not execute', async () => {
    await using opened = await STORES[0]![1]();
    const guarded = await Guarded.open(opened);
    const { id } = await guarded.call().request();
    await guarded.client.cancelRequest(id);
    const reason = 'The request was cancelled.';
    expect(await guarded.call().decision()).toEqual({ approved: false, reason });
    await expect(guarded.call().execute(guarded.pay)).rejects.toThrow(reason);

    const late = { ...BODY, idempotencyKey: 'chat-1:call-2', expiresAfter: 1_000 };
    const expiring = guardCall(guarded.client, late);
    await expiring.request();
    await opened.clock.advance(1_100);
    await guarded.site.desk.drain();
    const expired = 'No approver decided the call in time.';
    expect(await expiring.decision()).toEqual({ approved: false, reason: expired });
    await expect(expiring.execute(guarded.pay)).rejects.toThrow(expired);
    expect(guarded.executed).toEqual([]);
  });

  it('throws the error of a failed execution, and reports it in other processes', async () => {
    await using opened = await STORES[0]![1]();
    const guarded = await Guarded.open(opened);
    await guarded.decide({ kind: 'approve' });
    const error = new Error('The bank said no.');
    const fail = () => {
      throw error;
    };

    await expect(guarded.call().execute(fail)).rejects.toBe(error);
    const repeated = guarded.call().execute(guarded.pay);
    await expect(repeated).rejects.toMatchObject({
      name: 'CallFailedError',
      message: 'The bank said no.',
      request: { state: 'settled' },
    });
    expect(guarded.executed).toEqual([]);
  });

  it('waits for a person if the call is in doubt', async () => {
    await using opened = await STORES[0]![1]();
    const guarded = await Guarded.open(opened);
    await guarded.decide({ kind: 'approve' });
    const fail = () => {
      throw new CallInDoubtError('The bank timed out.');
    };
    await expect(guarded.call().execute(fail)).rejects.toThrow('The bank timed out.');

    const waiting = guarded.call().execute(guarded.pay);
    await guarded.decide({ kind: 'result', value: 'paid by hand' });

    expect(await waiting).toBe('paid by hand');
    expect(guarded.executed).toEqual([]);
  });

  it.each([
    [() => {}, 'it is a function'],
    [{ euros: 20n }, 'BigInt'],
  ])('asks a person if the result %s of an executed call is not JSON', async (value, problem) => {
    await using opened = await STORES[0]![1]();
    const guarded = await Guarded.open(opened);
    await guarded.decide({ kind: 'approve' });
    // Programs without types return anything.
    const odd = () => value as unknown as string;

    await expect(guarded.call().execute(odd)).rejects.toThrow(problem);

    const { holdId, state } = await guarded.call().request();
    expect(state).toBe('in-doubt');
    const { inDoubt } = (await guarded.site.as('grace').hold(holdId)).hold;
    expect(inDoubt?.reason).toMatch(/result that is not JSON/);
  });

  it('ends the wait for a decision with its signal', async () => {
    await using opened = await STORES[0]![1]();
    const guarded = await Guarded.open(opened);
    const signal = AbortSignal.abort(new Error('The process stops.'));
    await expect(guarded.call().decision({ signal })).rejects.toThrow('The process stops.');
  });

  it.each([undefined, ''])('rejects the key %j', async (idempotencyKey) => {
    await using opened = await STORES[0]![1]();
    const { client } = await Guarded.open(opened);
    // @ts-expect-error The type demands a key.
    const body: typeof BODY = { ...BODY, idempotencyKey };
    expect(() => guardCall(client, body)).toThrow('`idempotencyKey` of `guardCall` is');
  });

  it('rejects another call with the same key', async () => {
    await using opened = await STORES[0]![1]();
    const guarded = await Guarded.open(opened);
    await guarded.call().request();
    const other = guardCall(guarded.client, { ...BODY, args: { euros: 21 } });
    await expect(other.execute(guarded.pay)).rejects.toMatchObject({
      code: 'idempotency-key-reused',
    });
  });
});
