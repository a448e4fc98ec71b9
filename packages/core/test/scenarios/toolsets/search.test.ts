import { Agent, CombinedToolset, type JsonObject, type Message, tool, UserError } from 'holdpoint';
import { keywordsSearch, toolSearch } from 'holdpoint/capabilities';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { partsOf } from '../../support/conversation.ts';
import { rejectionOf } from '../../support/latch.ts';
import { named, offeredTo, resultsIn, toolsetOf } from '../../support/toolsets.ts';
import { search, invoices, runOn } from '../../support/hidden-tools.ts';

/** Returns the results of the searches of a conversation. */
const found = (messages: readonly Message[]) =>
  partsOf(messages).flatMap((part) =>
    part.kind === 'tool-return' && part.toolKind === 'tool-search'
      ? [(part.content as { discovered_tools: { name: string }[] }).discovered_tools]
      : [],
  );

describe('1,000 hidden tools', () => {
  it('are not sent: the model receives only the search tool and the found tools', async () => {
    const { model, agent } = runOn(
      invoices(1000),
      search('customer731'),
      calls('invoice_731'),
      search('customer5', 'customer6'),
      says('Done.'),
    );

    const result = await agent.run('Go.');

    expect(offeredTo(model)).toEqual([
      ['plain', 'search_tools'],
      ['plain', 'invoice_731', 'search_tools'],
      ['plain', 'invoice_731', 'search_tools'],
      ['plain', 'invoice_5', 'invoice_6', 'invoice_731', 'search_tools'],
    ]);
    expect(resultsIn(result.messages)[1]).toBe('invoice_731 ran');
    expect(JSON.stringify(model.calls[3])).not.toContain('customer42');
  });

  it('are found ten at a time, new ones first', async () => {
    const { agent } = runOn(invoices(1000), search('invoices'), search('invoices'), says('Done.'));

    const { messages } = await agent.run('Go.');

    const [first = [], second = []] = found(messages);
    expect([first.length, second.length]).toEqual([10, 10]);
    expect(new Set([...first, ...second].map(({ name }) => name)).size).toBe(20);
  });

  it('are found up to maxResults at a time', async () => {
    const model = scriptedModel(
      search('invoices'),
      says('Done.'),
      search('invoices'),
      says('Done.'),
    );
    const agent = new Agent({
      model,
      toolsets: [invoices(1000)],
      capabilities: [toolSearch({ maxResults: 3 })],
    });

    const byAgent = await agent.run('Go.');
    const byRun = await agent.run('Go.', { capabilities: [toolSearch({ maxResults: 2 })] });

    expect(found(byAgent.messages)[0]).toHaveLength(3);
    expect(found(byRun.messages)[0]).toHaveLength(2);
  });
});

describe('a search', () => {
  it('marks its call and its return as a tool search', async () => {
    const { agent } = runOn(invoices(2), search('customer1'), says('Done.'));

    const { messages } = await agent.run('Go.');

    expect(partsOf(messages)).toMatchObject([
      { kind: 'user-prompt' },
      { kind: 'tool-call', toolKind: 'tool-search' },
      {
        kind: 'tool-return',
        toolKind: 'tool-search',
        content: { discovered_tools: [{ name: 'invoice_1' }] },
      },
      { kind: 'text' },
    ]);
  });

  it('reports that nothing was found', async () => {
    const { model, agent } = runOn(invoices(2), search('weather'), says('Done.'));

    const { messages } = await agent.run('Go.');

    expect(partsOf(messages)[2]).toMatchObject({
      content: { discovered_tools: [], message: expect.any(String) },
    });
    expect(offeredTo(model)[1]).toEqual(['plain', 'search_tools']);
  });

  it.each([
    ['nothing', { queries: [] }],
    ['blanks', { queries: ['', '  '] }],
    ['no list', { queries: 'customer1' }],
    ['no texts', { queries: [1] }],
    ['something else', { queries: ['a'], limit: 100 }],
  ])('for %s is sent back to the model', async (_what, args: JsonObject) => {
    const { agent } = runOn(invoices(2), calls('search_tools', args), says('Done.'));

    const { messages } = await agent.run('Go.');

    expect(resultsIn(messages)).toEqual(['retry search_tools']);
  });

  it('prefers tools that share more words, by name and description', () => {
    const tools = [
      { name: 'send_mail', description: 'Sends a letter.' },
      { name: 'read_mail', description: 'Reads what others send.' },
      { name: 'weather' },
    ];

    const names = (...queries: string[]) =>
      keywordsSearch(queries, tools, { limit: 5 }).map(({ name }) => name);

    expect(names('READ mail')).toEqual(['read_mail', 'send_mail']);
    expect(names('send', 'letter')).toEqual(['send_mail', 'read_mail']);
    expect(names('mai')).toEqual([]);
  });

  it('is absent if no tool is hidden, and its name is free then', async () => {
    const { model, agent } = runOn(toolsetOf('search_tools'), calls('search_tools'), says('Done.'));

    const { messages } = await agent.run('Go.');

    expect(offeredTo(model)[0]).toEqual(['plain', 'search_tools']);
    expect(resultsIn(messages)).toEqual(['search_tools ran']);
  });

  it('has a reserved name if a tool is hidden', async () => {
    const toolset = new CombinedToolset([invoices(1), toolsetOf('search_tools')]);
    const model = scriptedModel('unused');

    const error = await rejectionOf(new Agent({ model, toolsets: [toolset] }).run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining('`search_tools`') });
    expect(model.calls).toEqual([]);
  });

  it('works for tools of the agent itself, and adds what it found after the other tools', async () => {
    const hidden = tool({ name: 'hidden', deferLoading: true, execute: () => 'found' });
    const model = scriptedModel(search('hidden'), calls('hidden'), says('Done.'));

    const result = await new Agent({ model, tools: [hidden, named('plain')] }).run('Go.');

    expect(offeredTo(model)).toEqual([
      ['plain', 'search_tools'],
      ['plain', 'hidden', 'search_tools'],
      ['plain', 'hidden', 'search_tools'],
    ]);
    expect(resultsIn(result.messages)[1]).toBe('found');
  });
});
