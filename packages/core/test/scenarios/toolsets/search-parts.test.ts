import { Agent, type JsonObject, type Message, tool } from 'holdpoint';
import { pydanticMessageCodec } from 'holdpoint/pydantic';
import { calls, functionModel, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lastPartsOf, partsOf, sentTo } from '../../support/conversation.ts';
import { invoices, runOn, search } from '../../support/hidden-tools.ts';

/** Messages as they are after Pydantic AI stored and returned them. */
const exchanged = (messages: readonly Message[]) =>
  pydanticMessageCodec.fromJSON(pydanticMessageCodec.toJSON(messages));

/** Runs an agent whose model searches with an object of arguments. */
function searchWith(args: JsonObject) {
  let requests = 0;
  const model = functionModel(() => {
    requests += 1;
    const call = { kind: 'tool-call', toolName: 'search_tools', toolCallId: 's', args } as const;
    return { parts: [requests === 1 ? call : { kind: 'text', content: 'Done.' }] };
  });
  return new Agent({ model, toolsets: [invoices(1)] }).run('Go.');
}

describe('the parts of a search', () => {
  it('have their kind in the events of a stream', async () => {
    const { agent } = runOn(invoices(1), search('customer0'), says('Done.'));
    const kinds: unknown[] = [];

    for await (const event of agent.stream('Go.')) {
      if (event.kind !== 'part-start' && event.kind !== 'part-end') continue;
      if (event.part.kind === 'tool-call') kinds.push(event.part.toolKind);
    }

    expect(kinds).toEqual(['tool-search', 'tool-search']);
  });

  it.each<[JsonObject]>([[{ queries: 'customer0' }], [{}], [{ queries: [1] }]])(
    'have no kind if the arguments are %j, and can be exchanged',
    async (args) => {
      const { messages } = await searchWith(args);

      expect(partsOf(messages)[1]).toMatchObject({ kind: 'tool-call', args });
      expect(partsOf(messages)[1]).not.toHaveProperty('toolKind');
      expect(partsOf(exchanged(messages))).toHaveLength(4);
    },
  );

  it('have no members that a search does not know', async () => {
    const { messages } = await searchWith({ queries: ['customer0'], limit: 5 });

    expect(partsOf(messages)[1]).toMatchObject({ args: { queries: ['customer0'] } });
    expect(partsOf(messages)[2]).toMatchObject({ kind: 'tool-return', toolKind: 'tool-search' });
  });

  it('have no kind if the search was not executed', async () => {
    const agent = new Agent({
      model: scriptedModel(responds(search('customer0'), calls('final_result', { ok: true }))),
      tools: [tool({ name: 'hidden', deferLoading: true, execute: () => 1 })],
      output: z.object({ ok: z.boolean() }),
      endStrategy: 'early',
    });

    const { messages } = await agent.run('Go.');

    const skipped = lastPartsOf(messages)[1];
    expect(skipped).toMatchObject({ kind: 'tool-return', toolName: 'search_tools' });
    expect(skipped).not.toHaveProperty('toolKind');
    expect(partsOf(exchanged(messages))).toHaveLength(5);
  });
});

describe('a query without words', () => {
  it.each([['!!!'], ['  '], ['… ?']])('is retried: %j', async (query) => {
    const { model, agent } = runOn(invoices(1), search(query), says('Done.'));

    await agent.run('Go.');

    expect(lastPartsOf(sentTo(model, 1))).toMatchObject([{ kind: 'retry-prompt' }]);
  });
});
