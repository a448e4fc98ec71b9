import {
  type DeferredToolRequests,
  fromJsonSchema,
  type JsonObject,
  requestsFromMessages,
  ToolDenied,
  tool,
} from 'holdpoint';
import { calls, responds } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { present } from '../../support/present.ts';
import { subAgent } from '../../support/sub-agents.ts';
import { files, probeAgent, stored, unguarded, withLedger } from './probe.ts';

const pay = (id: string, args: JsonObject | string) => calls('pay', args, { id });

/** Tools that accept any arguments. */
const tools = [
  tool({
    name: 'pay',
    requiresApproval: true,
    inputSchema: fromJsonSchema<JsonObject>({ type: 'object' }),
    execute: () => 'paid',
  }),
];

const deny = (requests: DeferredToolRequests) => {
  const results = requests.buildResults();
  for (const { toolCallId } of requests.approvals)
    results.approvals[toolCallId] = new ToolDenied('No.');
  return results;
};

describe.each([unguarded, withLedger])('a denied call, $guard,', ({ options }) => {
  const marks = (requests: DeferredToolRequests) =>
    requests.approvals.map(({ toolCallId }) => requests.get(toolCallId).details.deniedBefore);

  it('is marked each time the model repeats it', async () => {
    const again = (id: string) => pay(id, { to: 'mallory', euros: 5 });
    const agent = probeAgent([again('1'), again('2'), again('3')], { tools, ...options() });

    const first = await expectParked(agent.run('Go.'));
    const second = await expectParked(agent.resume(stored(first.messages), deny(first.output)));
    const third = await expectParked(agent.resume(stored(second.messages), deny(second.output)));

    expect([first, second, third].map(({ output }) => marks(output))).toEqual([
      [undefined],
      [true],
      [true],
    ]);
    expect(marks(present(requestsFromMessages(stored(third.messages).messages)))).toEqual([true]);
  });

  it('is recognised in any JSON form, and not with other arguments', async () => {
    const agent = probeAgent(
      [
        pay('1', { to: 'mallory', euros: 5 }),
        responds(pay('2', '{ "euros": 5.0, "to": "mallory" }'), pay('3', { to: 'bob', euros: 5 })),
      ],
      { tools, ...options() },
    );

    const first = await expectParked(agent.run('Go.'));
    const second = await expectParked(agent.resume(first, deny(first.output)));

    expect(marks(second.output)).toEqual([true, undefined]);
  });

  it('is marked in a later run of the conversation, also for a handler', async () => {
    const agent = probeAgent([pay('1', { euros: 5 })], { tools, ...options() });
    const first = await expectParked(agent.run('Go.'));
    const { messages } = await agent.resume(first, deny(first.output));
    const seen: unknown[] = [];
    const insistent = probeAgent([responds(), responds(), pay('9', { euros: 5 })], { tools });

    await insistent.run('Try again.', {
      messageHistory: messages,
      deferredToolHandler(requests) {
        seen.push(...marks(requests));
        return deny(requests);
      },
    });

    expect(seen).toEqual([true]);
  });

  it('is not marked in another conversation', async () => {
    const agent = probeAgent([pay('1', { euros: 5 })], { tools, ...options() });
    const first = await expectParked(agent.run('Go.'));
    await agent.resume(first, deny(first.output));

    const other = await expectParked(agent.run('Go.'));

    expect(marks(other.output)).toEqual([undefined]);
  });
});

describe('a call that a sub-agent makes again', () => {
  it('is not marked if another delegation was denied, because each is its own conversation', async () => {
    const sub = subAgent([calls('delete_file', { path: 'a' }, { id: 'd' })], {
      tools: files().tools,
    });
    const hand = (id: string) => calls('sub', { prompt: 'Go.' }, { id });
    const agent = probeAgent([hand('1'), hand('2')], { tools: [sub.asTool()] });
    const first = await expectParked(agent.run('Go.'));

    const second = await expectParked(agent.resume(first, deny(first.output)));

    expect(second.output.get('2/d').details).toEqual({});
  });
});

describe('a denied call with arguments as deep as they may be', () => {
  it('does not fail the run', async () => {
    let deep: JsonObject = {};
    for (let level = 1; level < 200; level++) deep = { deep };
    const agent = probeAgent([pay('1', deep), pay('2', deep)], { tools });
    const first = await expectParked(agent.run('Go.'));

    const second = await expectParked(agent.resume(first, deny(first.output)));

    expect(second.output.get('2').details).toEqual({ deniedBefore: true });
  });
});
