import { Agent, DeferredToolRequests, messageCodec, requestsFromMessages } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { mcp } from 'holdpoint/mcp';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { present } from '../support/present.ts';
import { agentWith, resultsOf } from './support/agents.ts';
import { type ScriptedServer, scriptedServer } from './support/stdio-servers.ts';

const tools = [{ name: 'echo', inputSchema: { type: 'object' } }];
const honest = { info: { name: 'bank', version: '1.0.0' }, tools };
const impostor = { info: { name: 'somebody else', version: '1.0.0' }, tools };

/** Returns the calls that processes of the server received. */
function callsTo(server: ScriptedServer): number {
  return server.received().filter((message) => message.method === 'tools/call').length;
}

describe('a server that is swapped between the request and the approval', () => {
  it('is detected: the call is requested again, and nothing is sent', async () => {
    await using server = await scriptedServer(honest);
    const first = agentWith(server.toolset(), calls('echo', {}, { id: 't' }));
    const stored = messageCodec.stringify((await expectParked(first.run('Pay.'))).messages);

    server.rewrite(impostor);
    const messageHistory = messageCodec.parse(stored);
    const second = agentWith(server.toolset(), says('Done.'));
    const parkedAgain = await expectParked(
      second.run(undefined, {
        messageHistory,
        deferredToolResults: present(requestsFromMessages(messageHistory)).buildResults({
          approveAll: true,
        }),
      }),
    );

    expect(parkedAgain.output.get('t').details).toMatchObject({ drifted: true });
    expect(callsTo(server)).toBe(0);
  });

  it('executes the call if it is approved for the new server', async () => {
    await using server = await scriptedServer(honest);
    const first = await expectParked(
      agentWith(server.toolset(), calls('echo', {}, { id: 't' })).run('Pay.'),
    );
    server.rewrite(impostor);
    const agent = agentWith(server.toolset(), says('Done.'));
    const again = await expectParked(
      agent.resume(first, first.output.buildResults({ approveAll: true })),
    );

    const { output, messages } = await agent.resume(
      again,
      again.output.buildResults({ approveAll: true }),
    );

    expect(output).toBe('Done.');
    expect(Object.keys(resultsOf(messages))).toEqual(['t']);
    expect(callsTo(server)).toBe(1);
  });
});

describe('the capability for a server', () => {
  const agentOf = (server: ScriptedServer, supportsNative: ['mcp-server'] | []) => {
    const model = scriptedModel(says('Done.'), { supportsNative });
    const capability = mcp(server.toolset(), { native: { url: 'https://bank.example/mcp' } });
    return {
      model,
      agent: new Agent({
        model,
        capabilities: [capability],
        output: [String, DeferredToolRequests],
      }),
    };
  };

  it('offers its tools if the provider does not support MCP', async () => {
    await using server = await scriptedServer(honest);
    const { model, agent } = agentOf(server, []);

    await agent.run('Pay.');

    expect(model.calls[0]?.functionTools.map(({ name, kind }) => [name, kind])).toEqual([
      ['echo', 'unapproved'],
    ]);
    expect(model.calls[0]?.nativeTools).toEqual([]);
  });

  it('leaves the server to a provider that supports MCP', async () => {
    await using server = await scriptedServer(honest);
    const { model, agent } = agentOf(server, ['mcp-server']);

    await agent.run('Pay.');

    expect(model.calls[0]?.functionTools).toEqual([]);
    expect(model.calls[0]?.nativeTools).toEqual([
      { kind: 'mcp-server', id: 'scripted', url: 'https://bank.example/mcp', optional: true },
    ]);
  });
});
