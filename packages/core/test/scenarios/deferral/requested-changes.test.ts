import {
  Agent,
  askUser,
  decideByRules,
  DeferredToolResults,
  InvalidResultsError,
  MemoryLedger,
  ModelRetry,
} from 'holdpoint';
import { pydanticResultsCodec } from 'holdpoint/pydantic';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { files, probeAgent, stored } from '../../guarantees/examples/probe.ts';
import { agentIn, expectParked, ways, workshop } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { subAgent } from '../../support/sub-agents.ts';
import { untyped } from '../../support/untyped.ts';

const QUESTION = 'Is a backup of this file complete?';

/** Returns the parts of the last request. */
const lastRequest = (messages: readonly { readonly parts: readonly unknown[] }[]) =>
  present(messages.at(-2)).parts;

const removal = (path: string, id: string) => calls('remove', { path }, { id });

describe.each(ways)('changes requested from the model ($way)', (way) => {
  it('do not execute the call, and a new call needs a new approval', async () => {
    const shop = workshop();
    const agent = agentIn(shop, [
      removal('a', '1'),
      responds(says('It is.'), removal('b', '2')),
      says('Done.'),
    ]);
    const first = await expectParked(agent.run('Go.'));
    const requested = first.output.buildResults([first.output.get('1').retry(QUESTION)]);

    const second = await expectParked(
      agent.run(undefined, {
        messageHistory: way.messages(first.messages),
        deferredToolResults: way.results(requested),
      }),
    );

    expect(lastRequest(second.messages)).toMatchObject([
      { kind: 'retry-prompt', toolName: 'remove', toolCallId: '1', content: QUESTION },
    ]);
    expect(shop.effects).toEqual([]);
    const approved = second.output.buildResults({ approveAll: true });
    const done = await agent.resume(second, way.results(approved));
    expect(done.output).toBe('Done.');
    expect(shop.ran()).toEqual(['remove b']);
  });
});

describe('changes requested from the model', () => {
  it('can be requested more often than the tool may be retried', async () => {
    const { done, deleteFile } = files({ maxRetries: 0 });
    const again = (id: string) => calls('delete_file', { path: id }, { id });
    const agent = new Agent({
      model: scriptedModel(again('1'), again('2'), again('3'), again('4'), says('Done.')),
      tools: [deleteFile],
    });
    let requests = 0;

    const { output } = await agent.run('Go.', {
      deferredToolHandler: (pending) =>
        pending.buildResults(
          [...pending].map((call) => {
            requests += 1;
            return requests > 3 ? call.approve() : call.retry(QUESTION);
          }),
        ),
    });

    expect(output).toBe('Done.');
    expect(done).toEqual(['deleted 4']);
  });

  it('can come from a rule', async () => {
    const shop = workshop();
    const agent = agentIn(shop, [removal('a', '1'), says('It is not.')]);
    const rule = { tool: 'remove', decision: new ModelRetry(QUESTION) };

    const { messages } = await agent.run('Go.', { deferredToolHandler: decideByRules([rule]) });

    expect(lastRequest(messages)).toMatchObject([{ kind: 'retry-prompt', content: QUESTION }]);
    expect(shop.effects).toEqual([]);
  });

  it('are not counted as tool calls', async () => {
    const shop = workshop();
    const agent = agentIn(shop, [removal('a', '1'), says('It is not.')]);
    const parked = await expectParked(agent.run('Go.'));
    const requested = parked.output.buildResults({ approvals: { 1: new ModelRetry(QUESTION) } });

    const { output } = await agent.resume(parked, requested, {
      usageLimits: { toolCallsLimit: 0 },
    });

    expect(output).toBe('It is not.');
  });

  it('are no denial: the same call is not marked as denied before', async () => {
    const again = (id: string) => calls('delete_file', { path: 'a' }, { id });
    const agent = probeAgent([again('1'), again('2')], { tools: files().tools });
    const first = await expectParked(agent.run('Go.'));

    const requested = first.output.buildResults([first.output.get('1').retry(QUESTION)]);
    const second = await expectParked(agent.resume(stored(first.messages), requested));

    expect(second.output.get('2').deniedBefore).toBe(false);
  });

  it('are final in every copy, with a ledger', async () => {
    const { done, tools } = files();
    const script = [calls('delete_file', { path: 'a' }, { id: 'a' })];
    const agent = probeAgent(script, { tools, durability: { ledger: new MemoryLedger() } });
    const parked = await expectParked(agent.run('Go.'));
    const requested = parked.output.buildResults([parked.output.get('a').retry(QUESTION)]);
    await agent.resume(stored(parked.messages), requested);

    const { messages } = await agent.resume(
      stored(parked.messages),
      parked.output.buildResults({ approveAll: true }),
      { durability: { onAlreadyResumed: 'replay' } },
    );

    expect(lastRequest(messages)).toMatchObject([{ kind: 'retry-prompt', content: QUESTION }]);
    expect(done).toEqual([]);
  });

  it('are recorded once, whatever the next resume requests', async () => {
    const ledger = new MemoryLedger();
    const { tools } = files();
    const script = [calls('delete_file', { path: 'a' }, { id: 'a' })];
    const agent = probeAgent(script, { tools, durability: { ledger } });
    const parked = await expectParked(agent.run('Go.'));
    const requested = (text: string) =>
      parked.output.buildResults([parked.output.get('a').retry(text)]);
    const replay = { durability: { onAlreadyResumed: 'replay' } } as const;
    await agent.resume(stored(parked.messages), requested(QUESTION));

    const { messages } = await agent.resume(stored(parked.messages), requested('Other.'), replay);

    expect(lastRequest(messages)).toMatchObject([{ kind: 'retry-prompt', content: QUESTION }]);
  });

  it('resolve a call in doubt without executing it again', async () => {
    let executions = 0;
    const execute = () => {
      executions += 1;
      throw new Error('Connection reset.');
    };
    const agent = probeAgent([calls('delete_file', { path: 'a' }, { id: 'a' })], {
      tools: files({ execute }).tools,
      durability: { ledger: new MemoryLedger() },
    });
    const parked = await expectParked(agent.run('Go.'));
    const yes = parked.output.buildResults({ approveAll: true });
    await rejectionOf(agent.resume(stored(parked.messages), yes));
    const replay = { durability: { onAlreadyResumed: 'replay' } } as const;
    const again = await expectParked(agent.resume(stored(parked.messages), yes, replay));

    const requested = again.output.buildResults([again.output.get('a').retry(QUESTION)]);
    const { messages } = await agent.resume(stored(again.messages), requested);

    expect(lastRequest(messages)).toMatchObject([{ kind: 'retry-prompt', content: QUESTION }]);
    expect(executions).toBe(1);
  });

  it('reach the model of a sub-agent', async () => {
    const { done, tools } = files();
    const sub = subAgent([calls('delete_file', { path: 'a' }, { id: 'd' })], { tools });
    const agent = probeAgent([calls('sub', { prompt: 'Go.' }, { id: 's' })], {
      tools: [sub.asTool()],
      durability: { ledger: new MemoryLedger() },
    });
    const parked = await expectParked(agent.run('Go.'));
    const requested = parked.output.buildResults([parked.output.get('s/d').retry(QUESTION)]);
    const received: unknown[] = [];

    const { status } = await agent.resume(stored(parked.messages), requested, {
      events: { subAgents: true },
      onEvent: (event) => {
        if (event.kind === 'sub-agent-event' && event.event.kind === 'tool-result') {
          received.push(event.event.part);
        }
      },
    });

    expect(status).toBe('finished');
    expect(received).toMatchObject([{ kind: 'retry-prompt', toolCallId: 'd', content: QUESTION }]);
    expect(done).toEqual([]);
  });

  it('keep the message that they had when they were given', async () => {
    const shop = workshop();
    const agent = agentIn(shop, [removal('a', '1'), says('It is not.')]);
    const parked = await expectParked(agent.run('Go.'));
    const decision = new ModelRetry(QUESTION);
    const resumed = agent.resume(parked, new DeferredToolResults({ approvals: { 1: decision } }));
    decision.message = 'Other.';

    expect(lastRequest((await resumed).messages)).toMatchObject([{ content: QUESTION }]);
  });

  it('are a denial with the message in the JSON of Pydantic AI', () => {
    const results = new DeferredToolResults({ approvals: { 1: new ModelRetry(QUESTION) } });

    const read = pydanticResultsCodec.parse(pydanticResultsCodec.stringify(results));

    expect(read.approvals['1']).toMatchObject({ kind: 'deny', message: QUESTION });
  });
});

describe('a request for changes is rejected before anything executes', () => {
  const retry = new ModelRetry(QUESTION);

  it.each<[string, object]>([
    ['among the results, for a call that needs approval', { calls: { r: retry, p: 1 } }],
    ['among the decisions, for an external call', { approvals: { r: true, p: retry } }],
    [
      'without a text',
      { approvals: { r: Object.assign(new ModelRetry(''), { message: 1 }) }, calls: { p: 1 } },
    ],
  ])('%s', async (_where, decisions) => {
    const shop = workshop();
    const agent = agentIn(shop, [
      responds(removal('a', 'r'), calls('paint', {}, { id: 'p' })),
      says('Done.'),
    ]);
    const parked = await expectParked(agent.run('Go.'));

    const results = new DeferredToolResults(untyped(decisions));
    const error = await rejectionOf(agent.resume(parked, results));

    expect(error).toBeInstanceOf(InvalidResultsError);
    expect(shop.effects).toEqual([]);
  });

  it('for a question', async () => {
    const agent = probeAgent([calls('ask_user', { question: 'Which one?' }, { id: 'q' })], {
      tools: [askUser()],
    });
    const parked = await expectParked(agent.run('Go.'));

    const results = new DeferredToolResults({ approvals: { q: retry } });
    const error = await rejectionOf(agent.resume(parked, results));

    expect(error).toBeInstanceOf(InvalidResultsError);
    expect(() => parked.output.get('q').retry(QUESTION)).toThrow(/Call `respond`/);
  });
});
