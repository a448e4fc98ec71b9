import {
  Agent,
  ApprovalRequired,
  DeferredToolRequests,
  DeferredToolResults,
  fromJsonSchema,
  tool,
  ToolApproved,
} from 'holdpoint';
import {
  pydanticMessageCodec,
  pydanticRequestsCodec,
  pydanticResultsCodec,
} from 'holdpoint/pydantic';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';

/** Creates an agent whose payments need approval. */
function payingAgent() {
  const paid: unknown[] = [];
  const pay = tool({
    name: 'pay',
    inputSchema: fromJsonSchema({ type: 'object' }),
    execute(args, ctx) {
      if (!ctx.toolCallApproved) throw new ApprovalRequired({ limit: 100 });
      paid.push([args, ctx.toolCallMetadata]);
      return 'paid';
    },
  });
  const agent = new Agent({
    model: scriptedModel(calls('pay', { amount: 500 }, { id: 'pay-1' }), says('Done.')),
    tools: [pay],
    output: [String, DeferredToolRequests],
  });
  return { agent, paid };
}

async function parked(agent: ReturnType<typeof payingAgent>['agent']) {
  const result = await agent.run('Pay Bob.');
  if (result.status !== 'parked') throw new Error('The run did not park.');
  return result;
}

describe('a run parked by Holdpoint', () => {
  it('resumes after Pydantic AI loaded and dumped its messages, requests and results', async () => {
    const { agent, paid } = payingAgent();
    const { messages, output } = await parked(agent);

    const requests = pydanticRequestsCodec.parse(pydanticRequestsCodec.stringify(output));
    const decisions = requests.buildResults({
      approvals: { 'pay-1': new ToolApproved({ overrideArgs: { amount: 50 } }) },
      metadata: { 'pay-1': { by: 'ada' } },
    });
    const finished = await agent.run(undefined, {
      messageHistory: pydanticMessageCodec.parse(pydanticMessageCodec.stringify(messages)),
      deferredToolResults: pydanticResultsCodec.parse(pydanticResultsCodec.stringify(decisions)),
    });

    expect(requests.metadata['pay-1']).toEqual({ limit: 100 });
    expect(paid).toEqual([[{ amount: 50 }, { by: 'ada' }]]);
    expect(finished.output).toBe('Done.');
  });

  it('retains the kinds of its pending calls: a value is no approval', async () => {
    const { agent, paid } = payingAgent();
    const { messages } = await parked(agent);

    const back = pydanticMessageCodec.parse(pydanticMessageCodec.stringify(messages));
    const going = agent.run(undefined, {
      messageHistory: back,
      deferredToolResults: new DeferredToolResults({ calls: { 'pay-1': 'paid' } }),
    });

    expect(back.at(-1)?.metadata).toEqual(messages.at(-1)?.metadata);
    expect(back.at(-1)?.metadata).toHaveProperty('holdpoint.open.pay-1.kind', 'approval');
    await expect(going).rejects.toThrow("'pay-1'");
    expect(paid).toEqual([]);
  });

  it('does not execute an approved call whose arguments have digits that a number cannot hold', async () => {
    const { agent, paid } = payingAgent();
    const { messages } = await parked(agent);
    const text = pydanticMessageCodec
      .stringify(messages)
      .replace(/(?<name>\\"amount\\":)500/, '$<name>12345678901234567890');

    await agent.run(undefined, {
      messageHistory: pydanticMessageCodec.parse(text),
      deferredToolResults: new DeferredToolResults({ approvals: { 'pay-1': true } }),
    });

    expect(paid).toEqual([]);
  });

  it('executes nothing if a value has more digits than a JavaScript number holds', async () => {
    const { agent, paid } = payingAgent();
    const text = `[{"kind":"response","parts":[
      {"part_kind":"tool-call","tool_name":"pay","tool_call_id":"a","args":{}},
      {"part_kind":"tool-call","tool_name":"count","tool_call_id":"b","args":{}}]}]`;
    const results = '{"approvals":{"a":true},"calls":{"b":12345678901234567890}}';

    const going = agent.run(undefined, {
      messageHistory: pydanticMessageCodec.parse(text),
      deferredToolResults: pydanticResultsCodec.parse(results),
    });

    await expect(going).rejects.toThrow('bigint');
    expect(paid).toEqual([]);
  });
});
