import {
  Agent,
  DeferredToolRequests,
  DeferredToolResults,
  MemoryLedger,
  messageCodec,
  InvalidResultsError,
  requestsFromMessages,
  resultsCodec,
  type RunContext,
  tool,
  ToolApproved,
} from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';

const output = [String, DeferredToolRequests] as const;
const BY = { by: [{ id: 'ada', name: 'Ada', at: 7 }, { id: 'grace' }], digest: 'shown' };

function watched(name: string, requiresApproval: boolean, seen: RunContext['approval'][]) {
  return tool({
    name,
    inputSchema: z.object({}),
    requiresApproval,
    execute(_args, ctx) {
      seen.push(ctx.approval);
      return 'done';
    },
  });
}

/** Calls these tools in one response, and ends when they have results. */
function callsOnce(...names: readonly string[]) {
  return functionModel(({ messages }) =>
    messages.some(({ parts }) => parts.some(({ kind }) => kind === 'tool-return'))
      ? says('Done.')
      : responds(...names.map((name) => calls(name, {}, { id: name }))),
  );
}

/** Returns messages as another process reads them. */
function elsewhere(results: DeferredToolResults): DeferredToolResults {
  return resultsCodec.parse(resultsCodec.stringify(results));
}

describe('approver of a call', () => {
  it('is visible to the approved call, and to no other', async () => {
    const seen: RunContext['approval'][] = [];
    const agent = new Agent({
      model: callsOnce('needs_approval', 'free'),
      tools: [watched('needs_approval', true, seen), watched('free', false, seen)],
      output,
    });
    const parked = await expectParked(agent.run('Go.'));
    const approval = { needs_approval: new ToolApproved({ overrideArgs: {}, approval: BY }) };

    await agent.resume(parked, elsewhere(parked.output.buildResults({ approvals: approval })));

    expect(seen).toEqual([undefined, BY]);
    expect(Object.isFrozen(seen[1]?.by)).toBe(true);
  });

  it('is undefined if the decision has no approver', async () => {
    const seen: RunContext['approval'][] = [];
    const tools = [watched('needs_approval', true, seen)];
    const agent = new Agent({ model: callsOnce('needs_approval'), tools, output });
    const parked = await expectParked(agent.run('Go.'));

    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(seen).toEqual([undefined]);
  });

  it('is visible with a ledger as well, and to calls of sub-agents', async () => {
    const seen: RunContext['approval'][] = [];
    const tools = [watched('needs_approval', true, seen)];
    const subAgent = new Agent({
      name: 'below',
      model: callsOnce('needs_approval'),
      tools,
      output,
    });
    const delegate = subAgent.asTool({ name: 'delegate' });
    const agent = new Agent({
      model: functionModel(({ messages }) =>
        messages.length > 1 ? says('Done.') : calls('delegate', { prompt: 'Go.' }, { id: 'd' }),
      ),
      tools: [delegate],
      output,
      durability: { ledger: new MemoryLedger() },
    });
    const parked = await expectParked(agent.run('Go.'));
    const [call] = parked.output.approvals;
    const key = String(call?.toolCallId);
    const results = parked.output.buildResults({
      approvals: { [key]: new ToolApproved({ approval: BY }) },
    });

    await agent.run(undefined, {
      messageHistory: messageCodec.parse(messageCodec.stringify(parked.messages)),
      deferredToolResults: elsewhere(results),
    });

    expect(seen).toEqual([BY]);
  });

  it('stays with the call to a sub-agent that parks again', async () => {
    const seen: RunContext['approval'][] = [];
    const inner = watched('needs_approval', true, []);
    const subAgent = new Agent({
      name: 'below',
      model: callsOnce('needs_approval'),
      tools: [inner],
      output,
    });
    const delegate = subAgent.asTool({ name: 'delegate', requiresApproval: true });
    const agent = new Agent({
      model: functionModel(({ messages }) =>
        messages.length > 1 ? says('Done.') : calls('delegate', { prompt: 'Go.' }, { id: 'd' }),
      ),
      tools: [delegate],
      output,
      capabilities: [
        {
          name: 'watch',
          wrapToolExecution: async ({ call }, next, ctx) => {
            if (call.toolName === 'delegate') seen.push(ctx.approval);
            return next();
          },
        },
      ],
    });
    const first = await expectParked(agent.run('Go.'));
    const approve = first.output.buildResults({
      approvals: { d: new ToolApproved({ approval: BY }) },
    });
    const second = await expectParked(agent.resume(first, approve));

    await agent.run(undefined, {
      messageHistory: messageCodec.parse(messageCodec.stringify(second.messages)),
      deferredToolResults: second.output.buildResults({ approveAll: true }),
    });

    expect(seen).toEqual([BY, BY]);
  });

  it.each([
    [{ by: 'ada' }],
    [{ by: [{ name: 'Ada' }] }],
    [{ by: [{ id: 'ada', at: 'now' }] }],
    [{}],
    ['ada'],
  ])('is rejected as %j, and nothing executes', async (approval) => {
    const seen: RunContext['approval'][] = [];
    const tools = [watched('needs_approval', true, seen)];
    const agent = new Agent({ model: callsOnce('needs_approval'), tools, output });
    const parked = await expectParked(agent.run('Go.'));
    const decision = new ToolApproved({ approval: approval as never });
    const results = new DeferredToolResults({ approvals: { needs_approval: decision } });

    await expect(agent.resume(parked, results)).rejects.toThrow(InvalidResultsError);
    expect(() => resultsCodec.stringify(results)).toThrow();
    expect(seen).toEqual([]);
  });
});

describe('the tool of a pending call', () => {
  it('is known after the run parked, also for sub-agents, and not from messages', async () => {
    const approvedTool = watched('needs_approval', true, []);
    const subAgent = new Agent({
      name: 'below',
      model: callsOnce('needs_approval'),
      tools: [approvedTool],
      output,
    });
    const agent = new Agent({
      model: functionModel(({ messages }) =>
        messages.length > 1
          ? says('Done.')
          : responds(calls('needs_approval', {}), calls('delegate', { prompt: 'Go.' })),
      ),
      tools: [approvedTool, subAgent.asTool({ name: 'delegate' })],
      output,
    });

    const { output: requests, messages } = await expectParked(agent.run('Go.'));

    const names = requests.approvals.map((call) => requests.get(call).definition?.name);
    expect(names).toEqual(['needs_approval', 'needs_approval']);
    const [call] = requests.approvals;
    expect(requests.get(call!).definition?.parametersJsonSchema).toMatchObject({ type: 'object' });
    const rest = requests.remaining(
      new DeferredToolResults({ approvals: { [call!.toolCallId]: true } }),
    );
    expect(rest?.get(rest.approvals[0]!).definition?.name).toBe('needs_approval');
    const read = requestsFromMessages(messages);
    expect(read?.get(read.approvals[0]!).definition).toBeUndefined();
  });
});
