import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  approval,
  FORMS,
  grace,
  responsesTo,
  ServedMcp,
  type Shown,
  type TestClient,
  textOf,
} from './support/served-desk.ts';

const PATH = { path: 'a.txt' };

/** Calls the tool, and returns the form with its state. */
async function shownForm(client: TestClient): Promise<{ form: Shown; requestState: string }> {
  const form = await client.call('delete_file', PATH);
  return { form, requestState: form.requestState ?? '' };
}

describe('`requestState` is rejected, and nothing executes, if it', () => {
  let served: ServedMcp;
  let client: TestClient;
  beforeAll(async () => {
    served = await ServedMcp.open({ forms: true });
    client = await served.connect({ capabilities: FORMS });
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it('was changed', async () => {
    const { form, requestState } = await shownForm(client);
    const inputResponses = responsesTo(form, approval);
    const [version, payload = '', mac = ''] = requestState.split('.');
    const decoded = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { p: object };
    const forged = Buffer.from(JSON.stringify({ ...decoded, p: { ...decoded.p, round: 0 } }));
    const states = [
      `${version}.${forged.toString('base64url')}.${mac}`,
      `${requestState.slice(0, -4)}AAAA`,
      'x',
      '',
    ];

    for (const state of states) {
      await expect(
        client.call('delete_file', PATH, { requestState: state, inputResponses }),
      ).rejects.toThrow('Invalid or expired requestState');
    }
    expect(served.deleted).toEqual([]);
  });

  it('belongs to another caller, tool or call', async () => {
    const { form, requestState } = await shownForm(client);
    const more = { requestState, inputResponses: responsesTo(form, approval) };
    const mallory = await served.connect({ capabilities: FORMS, person: 'mallory' });
    const invalid = 'Invalid or expired requestState';

    await expect(mallory.call('delete_file', PATH, more)).rejects.toThrow(invalid);
    await expect(client.call('delete_file', { path: 'b' }, more)).rejects.toThrow(invalid);
    await expect(client.call('janitor', { prompt: 'a.txt' }, more)).rejects.toThrow(invalid);
    expect(served.deleted).toEqual([]);
  });

  it('is of another server', async () => {
    await using other = await ServedMcp.open({ forms: true });
    const { form, requestState } = await shownForm(await other.connect({ capabilities: FORMS }));
    const more = { requestState, inputResponses: responsesTo(form, approval) };

    await expect(client.call('delete_file', PATH, more)).rejects.toThrow('Invalid or expired');
    expect(other.deleted).toEqual([]);
  });

  it('is of another tenant', async () => {
    const stateKey = randomBytes(32);
    await using acme = await ServedMcp.open({ forms: true, stateKey, tenant: 'acme' });
    await using globex = await ServedMcp.open({ forms: true, stateKey, tenant: 'globex' });
    const { form, requestState } = await shownForm(await acme.connect({ capabilities: FORMS }));
    const more = { requestState, inputResponses: responsesTo(form, approval) };
    const sameName = await globex.connect({ capabilities: FORMS });

    await expect(sameName.call('delete_file', PATH, more)).rejects.toThrow('Invalid or expired');
    expect([...acme.deleted, ...globex.deleted]).toEqual([]);
  });

  it('has expired', async () => {
    const stateKey = randomBytes(32);
    await using brief = await ServedMcp.open({ forms: true, stateKey, stateExpiresIn: 1_000 });
    const late = await brief.connect({ capabilities: FORMS });
    const { form, requestState } = await shownForm(late);
    await sleep(2_100);

    const more = { requestState, inputResponses: responsesTo(form, approval) };
    await expect(late.call('delete_file', PATH, more)).rejects.toThrow('Invalid or expired');
    expect(brief.deleted).toEqual([]);
  });
});

describe('a form', () => {
  it('decides once: a repeated request records nothing and executes nothing', async () => {
    await using served = await ServedMcp.open({ forms: true });
    const client = await served.connect({ capabilities: FORMS });
    const { form, requestState } = await shownForm(client);
    const more = { requestState, inputResponses: responsesTo(form, approval) };

    const results = await Promise.all([1, 2, 3].map(() => client.call('delete_file', PATH, more)));
    const replayed = await client.call('delete_file', PATH, more);

    expect(results.map(textOf).some((text) => text.includes('a.txt deleted'))).toBe(true);
    expect(textOf(replayed)).toContain('This form was already used');
    expect(served.deleted).toEqual(['a.txt']);
    const { items } = await served.desk.holds({ states: ['consumed'] });
    const hold = await served.desk.hold(items[0]?.id ?? '');
    expect(hold.decisions).toHaveLength(1);
  });

  it('is valid only for the arguments that it showed', async () => {
    await using served = await ServedMcp.open({
      forms: true,
      approvers: { approvers: { delete_file: { count: 2 } } },
    });
    const client = await served.connect({ capabilities: FORMS });
    const { form, requestState } = await shownForm(client);
    const { id, digest } = await served.openHold();
    const args = { path: 'everything' };
    const { shown } = await served.desk.previewEdit(id, args);
    await served.desk.decide(id, { kind: 'approve', args }, { by: grace, digest, shown });

    const more = { requestState, inputResponses: responsesTo(form, approval) };
    const result = await client.call('delete_file', PATH, more);

    expect(textOf(result)).toContain('must be decided at the desk');
    expect(served.deleted).toEqual([]);
    expect(await served.openHold()).toMatchObject({ votes: [{ id: 'grace' }] });
  });

  it('accepts no other response than the choices that it showed', async () => {
    await using served = await ServedMcp.open({ forms: true });
    const client = await served.connect({ capabilities: FORMS });
    const { form, requestState } = await shownForm(client);
    const contents = [
      {},
      { decision: true },
      { decision: 'Approve' },
      { approve: true },
      { decision: 'approve', reason: {} },
    ];

    for (const content of contents) {
      const inputResponses = responsesTo(form, { action: 'accept', content: content as never });
      await client
        .call('delete_file', PATH, { requestState, inputResponses })
        .catch(() => undefined);
    }
    await client
      .call('delete_file', PATH, { requestState, inputResponses: { other: approval } })
      .catch(() => undefined);

    expect(served.deleted).toEqual([]);
    expect(await served.openHold()).toMatchObject({ state: 'open' });
  });
});
