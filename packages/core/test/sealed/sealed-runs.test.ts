import { DeferredToolRequests, MemoryLedger, ToolDenied, WrapperAgent } from 'holdpoint';
import { SealedRunError, type SealedRunsOptions, sealedRuns } from 'holdpoint/sealed';
import { calls, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentIn, expectParked, workshop } from '../support/deferral.ts';
import { drain, rejectionOf } from '../support/latch.ts';
import { present } from '../support/present.ts';
import { untyped } from '../support/untyped.ts';
import { problemOf, HOUR, KEY, parkedRun, sealingDesk } from './desk.ts';

describe('a sealed run', () => {
  it('is shown to a person and resumes with the decisions', async () => {
    const ledger = new MemoryLedger();
    const { shop, agent, parked } = await parkedRun({ ledger });
    const { sealed, clock } = sealingDesk({ ledger });

    const token = await sealed.seal(parked);
    const { requests, expiresAt } = await sealed.open(token);
    expect(requests).toBeInstanceOf(DeferredToolRequests);
    expect(requests.approvals).toEqual(parked.output.approvals);
    expect(requests.details).toEqual(parked.output.details);
    expect(expiresAt).toBe(clock.now() + HOUR);
    expect(shop.ran()).toEqual([]);

    const done = await sealed.resume(agent, token, requests.buildResults({ approveAll: true }));
    expect(done).toMatchObject({ status: 'finished', output: 'Done.' });
    expect(shop.ran()).toEqual(['remove .env']);
  });

  it('reveals nothing without the key', async () => {
    const { parked } = await parkedRun({ prompt: 'The word is swordfish.' });

    const token = await sealingDesk().sealed.seal(parked);

    const bytes = token
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      .join('');
    expect(JSON.stringify(parked.messages)).toContain('swordfish');
    for (const secret of ['swordfish', 'vault', 'remove', '.env', 'shop']) {
      expect(bytes).not.toContain(secret);
    }
  });

  it('is a different token each time', async () => {
    const { parked } = await parkedRun();
    const { sealed } = sealingDesk();

    const tokens = [await sealed.seal(parked), await sealed.seal(parked)];

    expect(new Set(tokens).size).toBe(2);
  });

  it('resumes once with a ledger, with any number of copies', async () => {
    const ledger = new MemoryLedger();
    const { shop, agent, parked } = await parkedRun({ ledger }, says('Done.'), says('Again.'));
    const { sealed } = sealingDesk({ ledger });
    const tokens = [await sealed.seal(parked), await sealed.seal(parked)];
    const results = parked.output.buildResults({ approveAll: true });

    const ended = await Promise.allSettled(
      tokens.map((token) => sealed.resume(agent, token, results)),
    );

    expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await rejectionOf(sealed.resume(agent, present(tokens[0]), results))).toMatchObject({
      code: 'already-resumed',
    });
    expect(shop.ran()).toEqual(['remove .env']);
  });

  it('that was denied once stays denied', async () => {
    const ledger = new MemoryLedger();
    const { shop, agent, parked } = await parkedRun({ ledger }, says('A pity.'), says('A pity.'));
    const { sealed } = sealingDesk({ ledger });
    const token = await sealed.seal(parked);
    const denied = parked.output.buildResults({ approvals: { c1: new ToolDenied('No.') } });
    await sealed.resume(agent, token, denied);

    const approved = parked.output.buildResults({ approveAll: true });
    const again = await sealed.resume(agent, token, approved, {
      durability: { onAlreadyResumed: 'replay' },
    });

    expect(again.messages.at(-2)?.parts).toMatchObject([{ outcome: 'denied', content: 'No.' }]);
    expect(shop.ran()).toEqual([]);
  });

  it('is rejected without a ledger, before it is opened', async () => {
    const { shop, agent, parked } = await parkedRun();
    const { sealed } = sealingDesk();
    const token = await sealed.seal(parked);
    const { requests } = await sealed.open(token);
    const results = requests.buildResults({ approveAll: true });

    expect(await problemOf(sealed.resume(agent, token, results))).toBe('replayable');
    expect(await problemOf(sealed.resumeOptions(token, results))).toBe('replayable');
    expect(await problemOf(sealed.resume(agent, 'nonsense', results))).toBe('replayable');
    expect(shop.ran()).toEqual([]);
  });

  it('resumes with the ledger of the run if the others have none', async () => {
    const ledger = new MemoryLedger();
    const { shop, agent, parked } = await parkedRun({ ledger });
    const { sealed } = sealingDesk();
    const token = await sealed.seal(parked);
    const results = parked.output.buildResults({ approveAll: true });

    await sealed.resume(agent, token, results, { durability: { ledger } });

    expect(shop.ran()).toEqual(['remove .env']);
    expect(
      await rejectionOf(sealed.resume(agent, token, results, { durability: { ledger } })),
    ).toMatchObject({
      code: 'already-resumed',
    });
  });

  it('executes its calls again without a ledger if the caller allows it', async () => {
    const { shop, agent, parked } = await parkedRun({}, says('Once.'), says('Twice.'));
    const { sealed } = sealingDesk({ allowReplay: true });
    const token = await sealed.seal(parked);
    const results = parked.output.buildResults({ approveAll: true });

    const outputs = [
      (await sealed.resume(agent, token, results)).output,
      (await sealed.resume(agent, token, results)).output,
    ];

    expect(outputs).toEqual(['Once.', 'Twice.']);
    expect(shop.ran()).toEqual(['remove .env', 'remove .env']);
  });

  it('that parks again is sealed again', async () => {
    const ledger = new MemoryLedger();
    const second = calls('move', { path: 'a' }, { id: 'c2' });
    const { shop, agent, parked } = await parkedRun({ ledger }, second, says('Done.'));
    const { sealed } = sealingDesk({ ledger });

    const first = await sealed.seal(parked);
    const parkedAgain = await expectParked(
      sealed.resume(agent, first, parked.output.buildResults({ approveAll: true })),
    );
    const token = await sealed.seal(parkedAgain);
    const { requests } = await sealed.open(token);
    const done = await sealed.resume(agent, token, requests.buildResults({ approveAll: true }));

    expect(requests.approvals.map(({ toolCallId }) => toolCallId)).toEqual(['c2']);
    expect(done.output).toBe('Done.');
    expect(shop.ran()).toEqual(['remove .env', 'move a']);
  });

  it('is streamed and iterated with the options that a token gives', async () => {
    const ledger = new MemoryLedger();
    const { shop, agent, parked } = await parkedRun({ ledger });
    const { sealed } = sealingDesk({ ledger });
    const token = await sealed.seal(parked);
    const results = parked.output.buildResults({ approveAll: true });

    const stream = agent.stream('Thank you.', await sealed.resumeOptions(token, results));
    await drain(stream);

    expect((await stream.result).output).toBe('Done.');
    expect(shop.ran()).toEqual(['remove .env']);
    const again = agent.iter(undefined, await sealed.resumeOptions(token, results));
    expect(await rejectionOf(drain(again))).toMatchObject({ code: 'already-resumed' });
  });

  it('accepts the options of a resume, and a wrapper agent', async () => {
    const { agent, parked } = await parkedRun();
    const { sealed } = sealingDesk({ allowReplay: true });
    const token = await sealed.seal(parked);
    const results = parked.output.buildResults({ approveAll: true });

    const done = await sealed.resume(new WrapperAgent(agent), token, results, {
      prompt: 'And hurry.',
      runId: 'resumed',
    });

    expect(done.runId).toBe('resumed');
    expect(done.newMessages[0]?.parts.map(({ kind }) => kind)).toEqual([
      'tool-return',
      'user-prompt',
    ]);
  });

  it('is validated like any resume: invalid results execute nothing', async () => {
    const ledger = new MemoryLedger();
    const { shop, agent, parked } = await parkedRun({ ledger });
    const { sealed } = sealingDesk({ ledger });
    const token = await sealed.seal(parked);
    const { requests } = await sealed.open(token);

    const error = await rejectionOf(sealed.resume(agent, token, requests.buildResults()));

    expect(error).toMatchObject({ code: 'missing-results' });
    expect(shop.ran()).toEqual([]);
    await sealed.resume(agent, token, requests.buildResults({ approveAll: true }));
    expect(shop.ran()).toEqual(['remove .env']);
  });

  it('may be created from stored messages, and not from others', async () => {
    const { agent, parked } = await parkedRun();
    const { sealed } = sealingDesk({ allowReplay: true });
    const stored = JSON.parse(JSON.stringify(parked.messages));

    const token = await sealed.seal({ messages: stored });
    const done = await sealed.resume(
      agent,
      token,
      parked.output.buildResults({ approveAll: true }),
    );

    expect(done.status).toBe('finished');
    expect(await rejectionOf(sealed.seal({ messages: [] }))).toMatchObject({
      code: 'user-error',
      message: expect.stringMatching(/contain no response/),
    });
    expect(await rejectionOf(sealed.seal({ messages: untyped([7]) }))).toMatchObject({
      code: 'invalid-json',
    });
  });

  it('may contain a finished conversation, which continues with a prompt', async () => {
    const ledger = new MemoryLedger();
    const { agent, parked } = await parkedRun({ ledger }, says('Done.'), says('Not at all.'));
    const { sealed } = sealingDesk({ ledger });
    const results = parked.output.buildResults({ approveAll: true });
    const done = await sealed.resume(agent, await sealed.seal(parked), results);

    const token = await sealed.seal(done);
    const { requests } = await sealed.open(token);
    const next = await agent.run('Thanks.', await sealed.continueOptions(token));

    expect([requests.size, requests.buildResults().isEmpty]).toEqual([0, true]);
    expect(next).toMatchObject({ output: 'Not at all.', conversationId: done.conversationId });
    expect(next.messages.slice(0, done.messages.length)).toEqual(done.messages);
    expect(await rejectionOf(sealed.resume(agent, token, results))).toMatchObject({
      code: 'nothing-pending',
    });
  });

  it('with pending calls continues only if the calls are cancelled, and executes none', async () => {
    const { shop, agent, parked } = await parkedRun({}, says('Well.'));
    const { sealed } = sealingDesk({ allowReplay: true });
    const options = await sealed.continueOptions(await sealed.seal(parked));

    const rejection = await rejectionOf(agent.run('Never mind.', options));
    const next = await agent.run('Never mind.', { ...options, onPendingCalls: 'cancel' });

    expect(rejection).toMatchObject({ code: expect.stringMatching(/pending/) });
    expect([next.output, shop.ran()]).toEqual(['Well.', []]);
  });

  it('remains valid after a key rotation, until the old key is removed', async () => {
    const { parked } = await parkedRun();
    const next = KEY.toReversed();
    const before = sealingDesk({ keys: { old: KEY } }).sealed;
    const during = sealingDesk({ keys: { old: KEY, new: next }, sealWith: 'new' }).sealed;
    const after = sealingDesk({ keys: { new: next } }).sealed;

    const oldToken = await before.seal(parked);
    const newToken = await during.seal(parked);

    await during.open(oldToken);
    await during.open(newToken);
    await after.open(newToken);
    expect(await problemOf(after.open(oldToken))).toBe('unknown-key');
    expect(await problemOf(before.open(newToken))).toBe('unknown-key');
  });

  it('expires at its time, to the second', async () => {
    const ledger = new MemoryLedger();
    const { shop, agent, parked } = await parkedRun({ ledger });
    const { sealed, clock } = sealingDesk({ ledger, expiresIn: 10_000 });
    await clock.advance(999);
    const token = await sealed.seal(parked);

    await clock.advance(9_000);
    const { requests, expiresAt } = await sealed.open(token);
    expect(expiresAt - clock.now()).toBe(1);
    await clock.advance(1);

    const results = requests.buildResults({ approveAll: true });
    expect(await problemOf(sealed.open(token))).toBe('expired');
    expect(await problemOf(sealed.resume(agent, token, results))).toBe('expired');
    expect(shop.ran()).toEqual([]);
  });

  it('uses the clock of the machine by default', async () => {
    const { parked } = await parkedRun();
    const sealed = sealedRuns({ keys: { a: KEY }, audience: 'shop', expiresIn: HOUR });

    const { expiresAt } = await sealed.open(await sealed.seal(parked));

    expect(Math.abs(expiresAt - Date.now() - HOUR)).toBeLessThan(60_000);
  });

  it('is opened only for its audience', async () => {
    const { parked } = await parkedRun();
    const token = await sealingDesk({ audience: 'shop:ada' }).sealed.seal(parked);

    for (const audience of ['shop', 'shop:bob', 'SHOP:ADA', 'shop:ada ']) {
      expect(await problemOf(sealingDesk({ audience }).sealed.open(token))).toBe('wrong-audience');
    }
    await sealingDesk({ audience: 'shop:ada' }).sealed.open(token);
  });

  it('that would be too large is not sealed, and one that is too large is not opened', async () => {
    const { parked } = await parkedRun({ prompt: 'x'.repeat(10_000) });

    const token = await sealingDesk({ maxLength: 20_000 }).sealed.seal(parked);

    const small = sealingDesk({ maxLength: 5000 }).sealed;
    expect(await problemOf(small.seal(parked))).toBe('too-large');
    expect(await problemOf(small.open(token))).toBe('too-large');
    expect(await problemOf(sealingDesk().sealed.open('x'.repeat(1_000_001)))).toBe('too-large');
  });

  it('keeps pending calls of sub-agents', async () => {
    const ledger = new MemoryLedger();
    const shop = workshop();
    const sub = agentIn(shop, [calls('remove', { path: 'a' }, { id: 'in' }), says('Sub done.')], {
      name: 'sub',
    });
    const lead = agentIn(
      shop,
      [calls('sub', { prompt: 'Go on.' }, { id: 'out' }), says('All done.')],
      { tools: [sub.asTool()], toolsets: [] },
    );
    const { sealed } = sealingDesk({ ledger });

    const token = await sealed.seal(
      await expectParked(lead.run('Go.', { durability: { ledger } })),
    );
    const { requests } = await sealed.open(token);
    const done = await sealed.resume(lead, token, requests.buildResults({ approveAll: true }));

    expect(requests.get('out/in').path).toEqual([{ toolName: 'sub', toolCallId: 'out' }]);
    expect(done.output).toBe('All done.');
    expect(shop.ran()).toEqual(['remove a']);
  });
});

describe('the options of sealed runs', () => {
  const good: SealedRunsOptions = { keys: { a: KEY }, audience: 'shop', expiresIn: HOUR };

  it.each<[string, object, RegExp]>([
    ['no audience', { audience: '' }, /need an audience/],
    ['an audience that is no text', { audience: ['shop'] }, /need an audience/],
    ['no time', { expiresIn: 0 }, /`expiresIn` is `0`. Set it to at least 1000/],
    ['no end', { expiresIn: Number.POSITIVE_INFINITY }, /`expiresIn` is `Infinity`/],
    ['less than a second', { expiresIn: 999 }, /`expiresIn` is `999`/],
    ['nothing for a time', { expiresIn: undefined }, /`expiresIn` is `undefined`/],
    ['no length', { maxLength: 0 }, /`maxLength` is `0`/],
    ['no keys', { keys: {} }, /need a key/],
  ])('are checked at once: %s', (_, bad, message) => {
    expect(() => sealedRuns({ ...good, ...bad })).toThrow(message);
  });

  it('throw errors about missing values that are no token errors', () => {
    expect(() => sealedRuns({ ...good, keys: {} })).not.toThrow(SealedRunError);
  });
});
