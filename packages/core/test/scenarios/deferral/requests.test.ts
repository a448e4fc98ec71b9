import {
  DeferredToolRequests,
  messageCodec,
  requestsCodec,
  requestsFromMessages,
  tool,
  type ToolCallPart,
  UserError,
} from 'holdpoint';
import type { CallOf } from 'holdpoint/tools';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { agentIn, expectParked, workshop } from '../../support/deferral.ts';
import { idsOf } from '../../support/histories.ts';
import { present } from '../../support/present.ts';

const input = z.object({ path: z.string(), force: z.boolean().default(false) });
const remove = tool({
  name: 'remove',
  inputSchema: input,
  requiresApproval: true,
  execute: () => 'removed',
});
const move = tool({
  name: 'move',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  requiresApproval: () => true,
  execute: () => 'moved',
});

async function parkedRun() {
  const script = [
    responds(
      calls('remove', '{"path":"a"}', { id: 'r' }),
      calls('move', { from: 'a', to: 'b' }, { id: 'm' }),
      calls('paint', { color: 'red' }, { id: 'p' }),
    ),
  ];
  return expectParked(agentIn(workshop(), script, { tools: [remove, move] }).run('Go.'));
}

describe('tool.matches', () => {
  it('finds the calls of a tool and types their arguments', async () => {
    const { output } = await parkedRun();
    const found: string[] = [];

    for (const call of [...output.approvals, ...output.calls]) {
      if (remove.matches(call)) {
        expectTypeOf(call).toExtend<CallOf<{ path: string; force: boolean }>>();
        const args = output.get(call).args;
        expectTypeOf(args).toEqualTypeOf<{ readonly path: string; readonly force: boolean }>();
        found.push(`remove ${args.path} ${args.force}`);
      } else if (move.matches(call)) {
        const { from, to } = output.get(call).args;
        found.push(`move ${from} ${to}`);
      } else {
        found.push(call.toolName);
        expectTypeOf(output.get(call).args).toBeUnknown();
      }
    }

    expect(found.toSorted()).toEqual(['move a b', 'paint', 'remove a false']);
  });

  it('works on requests that were stored, with arguments that the tool has validated', async () => {
    const { output, messages } = await parkedRun();

    for (const requests of [
      requestsCodec.parse(requestsCodec.stringify(output)),
      present(requestsFromMessages(messageCodec.parse(messageCodec.stringify(messages)))),
    ]) {
      const call = present(requests.approvals.find((one) => remove.matches(one)));
      expect(requests.get(call).args).toEqual({ path: 'a', force: false });
      expect(Object.isFrozen(requests.get(call).args)).toBe(true);
    }
  });

  it.each([
    ['another tool', { toolName: 'move', args: { path: 'a' } }],
    ['a tool with a prefix', { toolName: 'my_remove', args: { path: 'a' } }],
    ['arguments that do not fit', { toolName: 'remove', args: { path: 5 } }],
    ['arguments that are missing', { toolName: 'remove', args: null }],
    ['broken JSON', { toolName: 'remove', args: '{"path":' }],
    ['no object', { toolName: 'remove', args: '[]' }],
  ])('does not match %s', (_, call) => {
    const part: ToolCallPart = { kind: 'tool-call', toolCallId: 'x', ...call };

    expect(remove.matches(part)).toBe(false);
  });

  it('throws for a schema that validates asynchronously', () => {
    const slow = tool({
      name: 'slow',
      inputSchema: z.object({ path: z.string().refine(async () => true) }),
      execute: () => 1,
    });
    const call: ToolCallPart = {
      kind: 'tool-call',
      toolName: 'slow',
      toolCallId: 'x',
      args: { path: 'a' },
    };

    expect(() => slow.matches(call)).toThrow(UserError);
  });
});

describe('requests.argsOf', () => {
  it('rejects unknown ids, also names of object members', async () => {
    const { output } = await parkedRun();

    for (const id of ['x', '', '__proto__', 'constructor', 'toString']) {
      expect(() => output.get(id).args).toThrow(UserError);
    }
  });

  it('names the arguments that it cannot read', () => {
    const call: ToolCallPart = { kind: 'tool-call', toolName: 't', toolCallId: 'x', args: '{' };
    const requests = new DeferredToolRequests({ approvals: [call] });

    expect(() => requests.get('x').args).toThrow(/`x`/);
  });
});

describe('requests', () => {
  it('cannot be changed by an approver', async () => {
    const { output } = await parkedRun();

    expect(() => (output.approvals as ToolCallPart[]).pop()).toThrow(TypeError);
    expect(() => Object.assign(present(output.approvals[0]), { toolName: 'x' })).toThrow(TypeError);
    expect(() => Object.assign(output.metadata, { x: 1 })).toThrow(TypeError);
    expect(Object.getPrototypeOf(output.metadata)).toBeNull();
  });

  it('are the same from a run, its messages and its stored messages, round after round', async () => {
    const shop = workshop();
    const agent = agentIn(shop, [
      responds(
        calls('render', { path: 'a' }, { id: 'd' }),
        calls('remove', { path: 'b' }, { id: 'r' }),
      ),
      responds(calls('move', { path: 'c' }, { id: 'm' }), calls('read', { path: 'd' })),
      says('Done.'),
    ]);
    const first = await expectParked(agent.run('Go.'));
    expect(requestsFromMessages(first.messages)).toEqual(first.output);

    const second = await expectParked(
      agent.resume(first, first.output.buildResults({ approveAll: true, calls: { d: 1 } })),
    );
    const read = present(
      requestsFromMessages(messageCodec.parse(messageCodec.stringify(second.messages))),
    );
    expect(read).toEqual(second.output);
    expect(idsOf(read.approvals)).toEqual(['m']);

    const finished = await agent.resume(second, read.buildResults({ approveAll: true }));
    expect(finished.output).toBe('Done.');
    expect(requestsFromMessages(finished.messages)).toBeUndefined();
    expect(shop.ran()).toEqual(['remove b', 'read d', 'move c']);
  });

  it('of a history with pending calls that no run parked are a UserError that names the calls', () => {
    const call: ToolCallPart = {
      kind: 'tool-call',
      toolName: 'remove',
      toolCallId: 'r',
      args: { path: 'a' },
    };

    expect(() => requestsFromMessages([{ kind: 'response', parts: [call] }])).toThrow(UserError);
    expect(() => requestsFromMessages([{ kind: 'response', parts: [call] }])).toThrow(/'r'/);
  });
});
