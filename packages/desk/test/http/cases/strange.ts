import { expect, it } from 'vitest';
import type { OpenHttpStore } from '../support/http-store.ts';
import { type Site, siteOn, startedRun } from '../support/site.ts';

async function waiting(site: Site) {
  const runId = await startedRun(site, 'pay acme, look_up x');
  const { body } = await site.ask('acme/ada', 'GET', `/holds?runId=${runId}`);
  const [pay, lookUp] = body.items;
  return { runId, pay, lookUp };
}

/** Requests that nobody sends by mistake, on whichever store: refused or taken as they are, never an error inside. */
export function strangeCases(open: OpenHttpStore): void {
  it('are not more than they say by a header, a method or an address', async () => {
    await using opened = await open();
    const errors: unknown[] = [];
    const site = siteOn(opened.store, { onError: (error) => errors.push(error) });
    const { runId, pay } = await waiting(site);
    const answer = { digest: pay.digest, answer: { kind: 'approve' } };
    const headers = {
      authorization: 'Bearer acme/grace',
      'content-type': 'application/json',
      'x-http-method-override': 'POST',
      'x-method-override': 'POST',
    };
    const send = (method: string, path: string, body?: unknown) =>
      site.app.fetch(
        new Request(`http://desk.test${path}`, {
          method,
          headers,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      );

    expect((await send('GET', `/holds/${pay.id}/answer`)).status).toBe(404);
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'post ']) {
      const path = `/holds/${pay.id}/answer`;
      const sent = async () => (await send(method, path, answer)).status;
      if (method === 'post ') await expect(sent).rejects.toThrow();
      else expect(await sent(), method).toBe(404);
    }
    for (const path of [
      `/holds%2f${pay.id}/answer`,
      `/holds/${pay.id}%2fanswer`,
      `/holds/${pay.id}/answer/`,
      `//holds/${pay.id}/answer`,
      `/runs/${runId}/../../holds/${pay.id}/answer%00`,
      `/holds/${pay.id.toUpperCase()}/answer`,
      `/holds/${pay.id}%0d%0aset-cookie:%20a=b/answer`,
      `/holds/${pay.id};/answer`,
    ]) {
      const response = await send('POST', path, answer);
      expect(response.status, path).toBe(404);
      expect(response.headers.get('set-cookie')).toBeNull();
    }
    expect((await site.desk.forTenant('acme').run(runId)).openHolds).toBe(2);
    expect(errors).toEqual([]);
  });

  it('are refused for numbers and cursors that no list has', async () => {
    await using opened = await open();
    const errors: unknown[] = [];
    const site = siteOn(opened.store, { onError: (error) => errors.push(error) });
    const { runId } = await waiting(site);
    const status = async (path: string) => (await site.ask('acme/ada', 'GET', path)).status;
    const cursor = (...values: readonly unknown[]) =>
      Buffer.from(JSON.stringify(values)).toString('base64url');
    const LARGEST = Number.MAX_SAFE_INTEGER;

    for (const limit of [
      '0',
      '-1',
      '1.5',
      '501',
      '1e400',
      'NaN',
      'Infinity',
      '99999999999999999999',
    ]) {
      expect(await status(`/runs?limit=${limit}`), limit).toBe(400);
    }
    expect(await status(`/runs/${runId}/audit?after=1e400`)).toBe(400);
    expect(await status(`/runs/${runId}/audit?after=${LARGEST}`)).toBe(200);
    expect(await status(`/runs?after=${cursor(LARGEST, 'x')}`)).toBe(200);
    expect(await status(`/runs?after=${cursor(-LARGEST, 'x')}`)).toBe(200);
    expect(await status(`/holds?after=${cursor(LARGEST, 'x', LARGEST, 'x')}`)).toBe(200);
    expect(await status(`/holds?after=${cursor(1, 'x', 1e300, 'x')}`)).toBe(400);
    expect(await status(`/holds?${'states=open&'.repeat(1_000)}`)).toBe(400);
    expect(await status(`/holds?limit=1&limit=2`)).toBe(400);
    for (const name of ['constructor', 'toString', 'a.b', 'a[b]']) {
      expect(await status(`/runs?${name}=1`), name).toBe(400);
    }
    expect(await status('/runs?__proto__=1')).toBeLessThan(500);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('may hold any text, which comes back as it was sent', async () => {
    await using opened = await open();
    const errors: unknown[] = [];
    const site = siteOn(opened.store, { onError: (error) => errors.push(error) });
    const { runId, pay, lookUp } = await waiting(site);
    const text = 'a\0b \ud800 \udfff \u2028 \u202e \ufffe 🂡 \\u0000';
    const grace = site.client('acme/grace');

    await grace.answer(pay.id, { digest: pay.digest, answer: { kind: 'deny', message: text } });
    await grace.answer(lookUp.id, {
      digest: lookUp.digest,
      answer: { kind: 'result', value: { [text]: text, constructor: 1, number: 1e308 } },
    });

    expect((await grace.hold(pay.id)).answers[0]?.answer).toEqual({ kind: 'deny', message: text });
    expect((await grace.hold(lookUp.id)).answers[0]?.answer).toEqual({
      kind: 'result',
      value: { [text]: text, constructor: 1, number: 1e308 },
    });
    await site.desk.forTenant('acme').work({ runId });
    expect((await grace.run(runId)).state).toBe('finished');
    const { id, conversationId } = await grace.start({ agent: 'teller', prompt: text });
    await site.desk.forTenant('acme').work({ runId: id });
    expect((await grace.run(id)).output).toBe(`You said: ${text}`);
    expect(JSON.stringify(await grace.history(conversationId))).toContain(
      JSON.stringify(text).slice(1, -1),
    );
    expect(errors).toEqual([]);
  });

  it('are refused for names that are halves of characters, and for numbers that JSON has not', async () => {
    await using opened = await open();
    const errors: unknown[] = [];
    const site = siteOn(opened.store, { onError: (error) => errors.push(error) });
    const { pay, lookUp } = await waiting(site);
    const post = async (path: string, body: unknown) =>
      (await site.ask('acme/ada', 'POST', path, body)).status;
    const start = { agent: 'teller', prompt: 'Hi' };

    for (const name of ['', '\ud800', 'a\0', 'a\r\nb', 'x'.repeat(201)]) {
      expect(await post('/runs', { ...start, idempotencyKey: name })).toBe(400);
      expect(await post('/runs', { ...start, conversationId: name })).toBe(400);
    }
    for (const agent of ['__proto__', 'constructor', 'toString']) {
      expect(await post('/runs', { ...start, agent }), agent).toBe(422);
    }
    for (const agent of ['', '\0', 'x'.repeat(100_000)]) {
      expect(await post('/runs', { ...start, agent })).toBe(400);
    }
    const infinite = `{"digest":"${lookUp.digest}","answer":{"kind":"result","value":1e999}}`;
    expect(await post(`/holds/${lookUp.id}/answer`, infinite)).toBe(400);
    const inside = `{"digest":"${pay.digest}","answer":{"kind":"edit","args":{"to":[1,-1e999]}}}`;
    expect(await post(`/holds/${pay.id}/answer`, inside)).toBe(400);
    const proto = `{"digest":"${pay.digest}","answer":{"kind":"edit","args":{"a":{"__proto__":{"to":"eve"}}}}}`;
    expect(await post(`/holds/${pay.id}/answer`, proto)).toBe(400);
    expect((await site.desk.forTenant('acme').holds()).items).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  it('are told of no more than a few mistakes, however many they have', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const names = Array.from({ length: 20_000 }, (_, index) => [`name-${index}`, 1]);
    const body = { ...Object.fromEntries(names), ['x'.repeat(500_000)]: 1 };

    const { status, text } = await site.ask('acme/ada', 'POST', '/runs', body);

    expect(status).toBe(400);
    expect(text.length).toBeLessThan(10_000);
  });
}
