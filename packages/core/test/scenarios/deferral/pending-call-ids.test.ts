import {
  Agent,
  DeferredToolRequests,
  type Message,
  messageCodec,
  requestsCodec,
  requestsFromMessages,
  tool,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { present } from '../../support/present.ts';
import { following } from '../../support/sub-agents.ts';

const remove = tool({ name: 'remove', requiresApproval: true, execute: () => 'removed' });
const output = [String, DeferredToolRequests] as const;
const idsIn = (requests: DeferredToolRequests) => Array.from(requests, ({ id }) => id);
const stored = (messages: readonly Message[]) =>
  messageCodec.parse(messageCodec.stringify(messages));

describe('the id of a pending call', () => {
  it('is unique across turns, although the provider numbers the calls of each turn from 1', async () => {
    const call = () => calls('remove', {}, { id: 'call_1' });
    const agent = new Agent({
      model: scriptedModel(call(), says('Done.'), call(), call()),
      tools: [remove],
      output,
    });

    const first = await expectParked(agent.run('Remove a.'));
    const done = await agent.resume(first, first.output.buildResults({ approveAll: true }));
    const second = await expectParked(agent.run('Remove b.', { messageHistory: done.messages }));
    const third = await expectParked(
      agent.resume(second, second.output.buildResults({ approveAll: true })),
    );

    const ids = [first, second, third].flatMap((parked) => idsIn(parked.output));
    expect(new Set(ids).size).toBe(3);
    expect(first.output.find('call_1')?.toolCallId).toBe('call_1');
  });

  it('is the same in another process, and in stored requests', async () => {
    const agent = new Agent({ model: scriptedModel(calls('remove', {})), tools: [remove], output });

    const parked = await expectParked(agent.run('Go.'));

    const ids = idsIn(parked.output);
    expect(idsIn(present(requestsFromMessages(stored(parked.messages))))).toEqual(ids);
    const document = requestsCodec.stringify(parked.output);
    expect(idsIn(requestsCodec.parse(document))).toEqual(ids);
  });

  it('stays the same while the call is pending, when another call was decided', async () => {
    const agent = new Agent({
      model: scriptedModel(
        responds(calls('remove', {}, { id: 'a' }), calls('remove', {}, { id: 'b' })),
      ),
      tools: [remove],
      output,
    });
    const handled: string[] = [];

    const parked = await expectParked(
      agent.run('Go.', {
        capabilities: [
          {
            name: 'decides a',
            handleDeferredToolCalls(requests) {
              handled.push(...idsIn(requests));
              return requests.buildResults({ approvals: { a: true } });
            },
          },
        ],
      }),
    );

    expect(handled).toHaveLength(2);
    expect(idsIn(parked.output)).toEqual([handled[1]]);
  });

  it('of a nested call differs between two delegations of the same agent', async () => {
    const sub = new Agent({
      name: 'sub',
      model: following(calls('remove', {}, { id: 'call_1' })),
      tools: [remove],
    });
    const ask = (id: string) => calls('sub', { prompt: 'Remove it.' }, { id });
    const lead = new Agent({
      model: following(responds(ask('one'), ask('two'))),
      tools: [sub.asTool()],
      output,
    });

    const parked = await expectParked(lead.run('Go.'));

    const ids = idsIn(parked.output);
    expect(new Set(ids).size).toBe(2);
    expect(idsIn(present(requestsFromMessages(stored(parked.messages))))).toEqual(ids);
  });

  it('is its key if the requests were stored without ids', () => {
    const requests = new DeferredToolRequests({
      approvals: [{ kind: 'tool-call', toolName: 'remove', toolCallId: 'c1', args: {} }],
    });

    expect(idsIn(requests)).toEqual(['c1']);
  });
});
