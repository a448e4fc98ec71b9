import {
  Agent,
  ApprovalRequired,
  approveAll,
  askUser,
  DeferredToolRequests,
  DeferredToolResults,
  denyAll,
  InputRequired,
  type JsonValue,
  MemoryLedger,
  type Message,
  messageCodec,
  requestsCodec,
  requestsFromMessages,
  type RunContext,
  tool,
  ToolApproved,
  ToolExpired,
  ToolInput,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked, ways } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { following } from '../../support/sub-agents.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { untyped } from '../../support/untyped.ts';

const output = [String, DeferredToolRequests] as const;
const account = z.strictObject({ account: z.enum(['A', 'B']), note: z.string().optional() });

/** A tool that asks for an account, and records each effect and each start. */
function payer(options: { requiresApproval?: boolean; once?: boolean } = {}) {
  const started: string[] = [];
  const paid: JsonValue[] = [];
  const pay = tool({
    name: 'pay',
    ...options,
    inputSchema: z.object({ euros: z.number() }),
    execute({ euros }, ctx) {
      started.push(`approved: ${ctx.toolCallApproved}, inputs: ${ctx.inputs.length}`);
      if (ctx.input === undefined) {
        throw new InputRequired({ message: `Which account pays ${euros} euros?`, schema: account });
      }
      paid.push(ctx.input);
      return `paid ${euros}`;
    },
  });
  const agent = new Agent({
    model: scriptedModel(calls('pay', { euros: 5 }, { id: 'c1' }), says('Paid.')),
    tools: [pay],
    output,
  });
  return { agent, started, paid };
}

describe('a tool that needs an input', () => {
  it('parks the run with its question', async () => {
    const { agent, paid } = payer();

    const parked = await expectParked(agent.run('Pay.'));

    expect([...parked.output]).toMatchObject([
      {
        kind: 'question',
        toolName: 'pay',
        args: { euros: 5 },
        question: {
          message: 'Which account pays 5 euros?',
          schema: { type: 'object', required: ['account'] },
        },
      },
    ]);
    expect(parked.output.approvals).toEqual([]);
    expect(parked.output.questions).toMatchObject([{ toolCallId: 'c1' }]);
    expect(paid).toEqual([]);
  });

  it.each(ways)('executes again with the input, $way', async ({ messages, results }) => {
    const { agent, started, paid } = payer();
    const parked = await expectParked(agent.run('Pay.'));

    const stored = messages(parked.messages);
    const [call] = present(requestsFromMessages(stored));
    const input = DeferredToolResults.of([present(call).respond({ account: 'B' })]);
    const done = await agent.resume({ messages: stored }, results(input));

    expect(done.output).toBe('Paid.');
    expect(paid).toEqual([{ account: 'B' }]);
    expect(started).toEqual(['approved: false, inputs: 0', 'approved: false, inputs: 1']);
  });

  it('is decided by a handler while the run waits', async () => {
    const { agent, paid } = payer();

    const done = await agent.run('Pay.', {
      deferredToolHandler: (requests) =>
        requests.buildResults({ inputs: { c1: { account: 'A' } } }),
    });

    expect([done.output, paid]).toEqual(['Paid.', [{ account: 'A' }]]);
  });

  it.each([
    [{ account: 'C' }, '`account` must be one of `"A"`, `"B"`.'],
    [{}, '`account` is missing.'],
    [{ account: 'A', note: 7 }, '`note` must be a text.'],
    [{ account: 'A', admin: true }, '`admin` is not allowed.'],
    ['A', 'The value must be an object.'],
    [null, 'The value must be an object.'],
  ])('rejects the input %j before anything executes', async (value, problem) => {
    const { agent, started } = payer();
    const parked = await expectParked(agent.run('Pay.'));

    const error = await rejectionOf(
      agent.resume(parked, parked.output.buildResults([parked.output.get('c1').respond(value)])),
    );

    expect(error).toMatchObject({
      code: 'invalid-results',
      message: expect.stringContaining(problem),
    });
    expect(started).toHaveLength(1);
  });

  it('can be declined: the call never executes, and the model gets the reason', async () => {
    const { agent, paid } = payer();
    const parked = await expectParked(agent.run('Pay.'));

    const declined = parked.output.get('c1').deny('Not now.');
    const done = await agent.resume(parked, parked.output.buildResults([declined]));

    expect([resultsIn(done.messages), paid]).toEqual([['Not now.'], []]);
  });

  it('can expire', async () => {
    const { agent, paid } = payer();
    const parked = await expectParked(agent.run('Pay.'));

    const results = new DeferredToolResults({ approvals: { c1: new ToolExpired() } });
    const done = await agent.resume(parked, results);

    expect(done.messages.flatMap(({ parts }) => [...parts])).toContainEqual(
      expect.objectContaining({ kind: 'tool-return', outcome: 'expired' }),
    );
    expect(paid).toEqual([]);
  });

  it.each([true, new ToolApproved()])('is not decided by an approval: %j', async (decision) => {
    const { agent, started } = payer();
    const parked = await expectParked(agent.run('Pay.'));

    const results = new DeferredToolResults({ approvals: { c1: decision } });

    expect(await rejectionOf(agent.resume(parked, results))).toMatchObject({
      code: 'invalid-results',
      message: expect.stringContaining('have a question'),
    });
    expect(started).toHaveLength(1);
  });

  it('stays pending with `approveAll`, and is declined by `denyAll`', async () => {
    const { agent } = payer();
    const parked = await expectParked(agent.run('Pay.'));

    expect(parked.output.buildResults({ approveAll: true }).isEmpty).toBe(true);
    expect(
      await rejectionOf(payer().agent.run('Pay.', { deferredToolHandler: approveAll() })),
    ).toMatchObject({ code: 'missing-results' });
    const denied = await payer().agent.run('Pay.', { deferredToolHandler: denyAll('No.') });
    expect(resultsIn(denied.messages)).toEqual(['No.']);
  });

  it('keeps its question in stored requests', async () => {
    const { agent } = payer();
    const parked = await expectParked(agent.run('Pay.'));

    const stored = requestsCodec.parse(requestsCodec.stringify(parked.output));

    expect([...stored]).toMatchObject([
      { kind: 'question', id: parked.output.get('c1').id, question: { schema: {} } },
    ]);
  });

  it('takes a message only, JSON Schema, or the class', async () => {
    const ask = (signal: unknown) =>
      tool({
        name: 'ask',
        execute(_args, ctx) {
          if (ctx.input === undefined) throw signal;
          return ctx.input;
        },
      });
    const questionOf = async (signal: unknown) => {
      const model = scriptedModel(calls('ask', {}, { id: 'c1' }));
      const parked = await expectParked(
        new Agent({ model, tools: [ask(signal)], output }).run('Go.'),
      );
      return parked.output.get('c1').question;
    };

    expect(await questionOf(new InputRequired('Why?'))).toEqual({
      message: 'Why?',
      schema: { type: 'string' },
    });
    expect(
      await questionOf(new InputRequired({ message: 'How many?', schema: { type: 'integer' } })),
    ).toEqual({ message: 'How many?', schema: { type: 'integer' } });
    expect(await questionOf(InputRequired)).toMatchObject({ schema: { type: 'string' } });
  });
});

describe('an input and an approval', () => {
  it('a tool that is approved and then asks executes with both, and is approved once', async () => {
    const { agent, started, paid } = payer({ requiresApproval: true });
    const first = await expectParked(agent.run('Pay.'));
    expect(first.output.get('c1').kind).toBe('approval');

    const second = await expectParked(
      agent.resume(
        first,
        first.output.buildResults([first.output.get('c1').approve({ args: { euros: 4 } })]),
      ),
    );
    expect(second.output.get('c1')).toMatchObject({ kind: 'question', args: { euros: 4 } });
    const input = second.output.get('c1').respond({ account: 'A' });
    const done = await agent.resume(second, second.output.buildResults([input]));

    expect([done.status, paid]).toEqual(['finished', [{ account: 'A' }]]);
    expect(started).toEqual(['approved: true, inputs: 0', 'approved: true, inputs: 1']);
    expect(resultsIn(done.messages)).toEqual(['paid 4']);
  });

  it('an input is not an approval: a tool that requires one after the input gets it', async () => {
    const seen: string[] = [];
    const careful = tool({
      name: 'careful',
      execute(_args, ctx) {
        if (ctx.input === undefined) throw new InputRequired('Who?');
        if (!ctx.toolCallApproved) throw new ApprovalRequired();
        seen.push(`${String(ctx.input)} ${ctx.toolCallApproved}`);
        return 'done';
      },
    });
    const model = scriptedModel(calls('careful', {}, { id: 'c1' }), says('Done.'));
    const agent = new Agent({ model, tools: [careful], output });

    const parked = await expectParked(agent.run('Go.'));
    const requested = await expectParked(
      agent.resume(parked, parked.output.buildResults({ inputs: { c1: 'Ada' } })),
    );
    expect(requested.output.get('c1').kind).toBe('approval');
    expect(seen).toEqual([]);
    await agent.resume(requested, requested.output.buildResults({ approveAll: true }));

    expect(seen).toEqual(['Ada true']);
  });

  it.each([
    ['without a preview', undefined, { inputs: ['mallory'] }],
    [
      'with a preview of the arguments',
      ({ euros }: { euros: number }) => `Pays ${euros} euros.`,
      { preview: 'Pays 5 euros.', inputs: ['mallory'] },
    ],
    [
      'with a preview of the input',
      (_: unknown, ctx: RunContext) => `Pays ${String(ctx.input)}.`,
      { preview: 'Pays mallory.', inputs: ['mallory'] },
    ],
  ])(
    'an approver is shown the input with which the call executes, %s',
    async (_name, preview, shown) => {
      const paid: unknown[] = [];
      const pay = tool({
        name: 'pay',
        inputSchema: z.object({ euros: z.number() }),
        preview,
        execute({ euros }, ctx) {
          if (ctx.input === undefined) throw new InputRequired('To whom?');
          if (!ctx.toolCallApproved) throw new ApprovalRequired();
          paid.push([euros, ctx.input]);
          return 'paid';
        },
      });
      for (const edit of [undefined, { euros: 3 }]) {
        const ledger = new MemoryLedger();
        const verified: unknown[] = [];
        const model = following(calls('pay', { euros: 5 }, { id: 'c1' }), says('Paid.'));
        const agent = new Agent({ model, tools: [pay], output, durability: { ledger } });
        const parked = await expectParked(agent.run('Pay.'));
        const question = parked.output.get('c1');
        const approving = await expectParked(
          agent.resume(parked, parked.output.buildResults([question.respond('mallory')])),
        );
        const call = approving.output.get('c1');
        const read = present(requestsFromMessages(approving.messages)).get('c1');

        expect(call).toMatchObject({ kind: 'approval', preview: shown });
        expect(read.preview).toEqual(shown);
        const args = edit ?? { euros: 5 };
        const results = approving.output.buildResults([call.approve({ args: edit })]);
        const done = await agent.resume(approving, results, {
          verifyApproval: (one) => verified.push(one.preview) > 0,
        });

        expect(done.status).toBe('finished');
        expect(paid.splice(0)).toEqual([[args.euros, 'mallory']]);
        expect(verified).toMatchObject([{ inputs: ['mallory'] }]);
      }
    },
  );

  it('a question of a validator does not replace the approval that the tool requires', async () => {
    const ran: string[] = [];
    const guarded = tool({
      name: 'guarded',
      requiresApproval: true,
      argsValidator(_args, ctx) {
        if (ctx.input === undefined) throw new InputRequired('Why?');
      },
      execute: (_args, ctx) => ran.push(String(ctx.input)),
    });
    const model = scriptedModel(calls('guarded', {}, { id: 'c1' }), says('Done.'));
    const agent = new Agent({ model, tools: [guarded], output });

    const parked = await expectParked(agent.run('Go.'));
    expect(parked.output.get('c1').kind).toBe('question');
    const requested = await expectParked(
      agent.resume(parked, parked.output.buildResults({ inputs: { c1: 'Because.' } })),
    );

    expect(requested.output.get('c1').kind).toBe('approval');
    expect(ran).toEqual([]);
    await agent.resume(requested, requested.output.buildResults({ approveAll: true }));
    expect(ran).toEqual(['Because.']);
  });
});

describe('several questions', () => {
  const survey = () => {
    const effects: JsonValue[] = [];
    const ask = tool({
      name: 'ask',
      once: true,
      execute(_args, ctx) {
        const [name, age] = ctx.inputs;
        if (name === undefined) throw new InputRequired('Name?');
        if (age === undefined) throw new InputRequired({ message: 'Age?', schema: z.number() });
        effects.push([name, age]);
        return 'thanks';
      },
    });
    const model = scriptedModel(calls('ask', {}, { id: 'c1' }), says('Done.'));
    return { agent: new Agent({ model, tools: [ask], output }), effects };
  };

  it('of one call are parked in sequence, with different ids, and the effect happens once', async () => {
    const { agent, effects } = survey();
    const durability = { ledger: new MemoryLedger() };

    const first = await expectParked(agent.run('Go.', { durability }));
    const name = first.output.buildResults({ inputs: { c1: 'Ada' } });
    const second = await expectParked(agent.resume(first, name, { durability }));
    const age = second.output.buildResults({ inputs: { c1: 36 } });
    const done = await agent.resume(second, age, { durability });

    expect([done.output, effects]).toEqual(['Done.', [['Ada', 36]]]);
    expect(second.output.get('c1').question?.message).toBe('Age?');
    expect(second.output.get('c1').id).not.toBe(first.output.get('c1').id);
    expect(second.output.get('c1').digest).not.toBe(first.output.get('c1').digest);
  });

  it('an input with the digest of the first question does not input the second', async () => {
    const { agent, effects } = survey();
    const durability = { ledger: new MemoryLedger() };
    const first = await expectParked(agent.run('Go.', { durability }));
    const name = first.output.buildResults({ inputs: { c1: 'Ada' } });
    const second = await expectParked(agent.resume(first, name, { durability }));
    const replayed = new DeferredToolResults({
      approvals: { c1: new ToolInput(36) },
      digests: { c1: present(first.output.get('c1').digest) },
    });

    expect(await rejectionOf(agent.resume(second, replayed, { durability }))).toMatchObject({
      code: 'invalid-results',
    });
    expect(effects).toEqual([]);
  });

  it('a second resume with the same input executes nothing', async () => {
    const ledger = new MemoryLedger();
    const { agent, paid } = payer({ once: true });
    const parked = await expectParked(agent.run('Pay.', { durability: { ledger } }));
    const results = parked.output.buildResults({ inputs: { c1: { account: 'A' } } });

    await agent.resume(parked, results, { durability: { ledger } });
    const again = await rejectionOf(agent.resume(parked, results, { durability: { ledger } }));

    expect(again).toMatchObject({ code: 'already-resumed' });
    expect(paid).toHaveLength(1);
  });

  it('a question that was changed in the history is rejected with a ledger', async () => {
    const ledger = new MemoryLedger();
    const { agent, paid } = payer();
    const parked = await expectParked(agent.run('Pay.', { durability: { ledger } }));
    const changed = JSON.parse(JSON.stringify(parked.messages).replace('Which account', 'What'));

    const error = await rejectionOf(
      agent.resume(
        { messages: changed },
        new DeferredToolResults({ approvals: { c1: new ToolInput({ account: 'A' }) } }),
        { durability: { ledger } },
      ),
    );

    expect(error).toMatchObject({ code: 'invalid-results' });
    expect(paid).toEqual([]);
  });
});

describe('the state of a question', () => {
  it('executes nothing with a ledger if it was changed in the history', async () => {
    const paid: unknown[] = [];
    const pay = tool({
      name: 'pay',
      execute(_args, ctx) {
        if (ctx.input === undefined) {
          throw new InputRequired({ message: 'Continue?', state: { account: 'acme' } });
        }
        if (!ctx.toolCallApproved) throw new ApprovalRequired();
        paid.push(ctx.questionState);
        return 'paid';
      },
    });
    const model = following(calls('pay', {}, { id: 'c1' }), says('Paid.'));
    const durability = { ledger: new MemoryLedger() };
    const agent = new Agent({ model, tools: [pay], output, durability });
    const forged = (messages: readonly Message[]) =>
      messageCodec.parse(messageCodec.stringify(messages).replaceAll('acme', 'mallory'));
    const parked = await expectParked(agent.run('Pay.'));
    const input = parked.output.buildResults({ inputs: { c1: 'Yes.' } });

    const rejected = await rejectionOf(agent.resume({ messages: forged(parked.messages) }, input));
    const approving = await expectParked(agent.resume(parked, input));
    const approved = approving.output.buildResults({ approveAll: true });
    const other = await rejectionOf(
      agent.resume({ messages: forged(approving.messages) }, approved),
    );

    expect([rejected, other]).toMatchObject([
      { code: 'invalid-results' },
      { code: 'invalid-results' },
    ]);
    expect(paid).toEqual([]);
    await agent.resume(approving, approved);
    expect(paid).toEqual([{ account: 'acme' }]);
  });
});

describe('questions of sub-agents', () => {
  it('are among the requests of the parent, and are decided under their key', async () => {
    const inputs: JsonValue[] = [];
    const ask = tool({
      name: 'ask',
      execute(_args, ctx) {
        if (ctx.input === undefined) throw new InputRequired('Which city?');
        inputs.push(ctx.input);
        return ctx.input;
      },
    });
    const sub = new Agent({
      name: 'sub',
      model: following(calls('ask', {}, { id: 'inner' })),
      tools: [ask],
    });
    const lead = new Agent({
      model: following(calls('sub', { prompt: 'Ask.' }, { id: 'outer' })),
      tools: [sub.asTool()],
      output,
    });

    const parked = await expectParked(lead.run('Go.'));
    expect([...parked.output]).toMatchObject([
      { kind: 'question', key: 'outer/inner', question: { message: 'Which city?' } },
    ]);
    const invalid = parked.output.buildResults({ inputs: { 'outer/inner': 7 } });
    expect(await rejectionOf(lead.resume(parked, invalid))).toMatchObject({
      code: 'invalid-results',
    });
    const done = await lead.resume(
      parked,
      parked.output.buildResults({ inputs: { 'outer/inner': 'Lyon' } }),
    );

    expect([done.output, inputs]).toEqual(['Done.', ['Lyon']]);
  });
});

describe('askUser', () => {
  it('lets the model ask, and returns the input as the result', async () => {
    const agent = new Agent({
      model: scriptedModel(
        responds(
          calls('ask_user', { question: 'Which color?', options: ['red', 'blue'] }, { id: 'c1' }),
          calls('ask_user', { question: 'Why?' }, { id: 'c2' }),
        ),
        says('Thanks.'),
      ),
      tools: [askUser()],
      output,
    });

    const parked = await expectParked(agent.run('Go.'));
    expect(parked.output.get('c1').question).toEqual({
      message: 'Which color?',
      schema: { type: 'string', enum: ['red', 'blue'] },
    });
    const wrong = parked.output.buildResults({ inputs: { c1: 'green', c2: 'Because.' } });
    expect(await rejectionOf(agent.resume(parked, wrong))).toMatchObject({
      message: expect.stringContaining('`c1`: The value must be one of `"red"`, `"blue"`.'),
    });
    const done = await agent.resume(
      parked,
      parked.output.buildResults({ inputs: { c1: 'blue', c2: 'Because.' } }),
    );

    expect(resultsIn(done.messages)).toEqual(['blue', 'Because.']);
  });

  it('returns invalid arguments to the model', async () => {
    const model = scriptedModel(calls('ask_user', { text: 'Hm?' }), says('Sorry.'));

    const { messages } = await new Agent({ model, tools: [askUser({ name: 'ask_user' })] }).run(
      'Go.',
    );

    expect(JSON.stringify(messages)).toContain('`question` is missing.');
  });
});

describe('wrong use of questions', () => {
  it.each([
    ['an unknown option', () => new InputRequired(untyped({ text: 'Hm?' })), 'text'],
    ['no schema', () => new InputRequired(untyped({ schema: 7 })), 'schema'],
    ['an unknown option of askUser', () => askUser(untyped({ title: 'x' })), 'title'],
  ])('rejects %s', (_title, use, message) => {
    expect(use).toThrow(message);
  });

  it('names the method that applies to a call', async () => {
    const { agent } = payer();
    const parked = (await expectParked(agent.run('Pay.'))).output.get('c1');
    const approvable = (
      await expectParked(payer({ requiresApproval: true }).agent.run('Pay.'))
    ).output.get('c1');

    expect(() => parked.approve()).toThrow('Call `respond` with the input, or `deny`.');
    expect(() => parked.resolve('A')).toThrow('Call `respond` with the input, or `deny`.');
    expect(() => approvable.respond('A')).toThrow('Call `approve` or `deny`.');
  });

  it('rejects an input for a call without a question', async () => {
    const { agent } = payer({ requiresApproval: true });
    const parked = await expectParked(agent.run('Pay.'));

    const results = new DeferredToolResults({ approvals: { c1: new ToolInput('A') } });

    expect(() => parked.output.buildResults({ inputs: { c1: 'A' } })).toThrow('inputs');
    expect(await rejectionOf(agent.resume(parked, results))).toMatchObject({
      message: expect.stringContaining('have no question'),
    });
  });
});
