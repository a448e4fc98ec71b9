import {
  Agent,
  messageCodec,
  ModelRetry,
  tool,
  ToolReturn,
  UnexpectedModelBehavior,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { partsOf } from '../../support/conversation.ts';
import { ways } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { named, offeredTo, resultsIn } from '../../support/toolsets.ts';
import { search, invoices, runOn } from '../../support/hidden-tools.ts';

describe('discovered tools', () => {
  it.each(ways)('are known to the next run: messages $way', async ({ messages: carry }) => {
    const { model, agent } = runOn(
      invoices(20),
      search('customer7'),
      says('Found.'),
      calls('invoice_7'),
      says('Done.'),
    );

    const first = await agent.run('Find it.');
    const second = await agent.run('Use it.', { messageHistory: carry(first.messages) });

    expect(offeredTo(model)[2]).toEqual(['plain', 'invoice_7', 'search_tools']);
    expect(resultsIn(second.messages).at(-1)).toBe('invoice_7 ran');
  });

  it('are hidden again when a history processor removes the search', async () => {
    const model = scriptedModel(search('customer7'), calls('plain'), says('Done.'));
    const agent = new Agent({
      model,
      tools: [named('plain')],
      toolsets: [invoices(20)],
      // In the last step, this keeps the result of the search without its call.
      historyProcessors: [(messages) => messages.slice(-3)],
    });

    await agent.run('Go.');

    expect(offeredTo(model)).toEqual([
      ['plain', 'search_tools'],
      ['plain', 'invoice_7', 'search_tools'],
      ['plain', 'search_tools'],
    ]);
  });

  it('are known to another agent with the same tools, and to no other conversation', async () => {
    const { agent } = runOn(invoices(20), search('customer7'), says('Found.'));
    const first = await agent.run('Find it.');
    const other = runOn(invoices(20), says('Yes.'), says('No.'));

    await other.agent.run('Go.', {
      messageHistory: messageCodec.parse(messageCodec.stringify(first.messages)),
    });
    await other.agent.run('Go.');

    expect(offeredTo(other.model)).toEqual([
      ['plain', 'invoice_7', 'search_tools'],
      ['plain', 'search_tools'],
    ]);
  });

  it('are found by their current names: a removed name reveals nothing', async () => {
    const { agent } = runOn(invoices(8), search('customer7'), says('Found.'));
    const first = await agent.run('Find it.');
    const fewer = runOn(invoices(3), says('Hm.'));

    await fewer.agent.run('Go.', { messageHistory: first.messages });

    expect(offeredTo(fewer.model)).toEqual([['plain', 'search_tools']]);
  });

  it('exclude tools that a tool of the application names as found', async () => {
    const liar = tool({
      name: 'liar',
      execute: () => ({ discovered_tools: [{ name: 'invoice_1' }] }),
    });
    const model = scriptedModel(calls('liar'), says('Done.'));

    await new Agent({ model, tools: [liar], toolsets: [invoices(3)] }).run('Go.');

    expect(offeredTo(model)[1]).toEqual(['liar', 'search_tools']);
  });
});

describe('a hidden tool that is called early', () => {
  it('does not execute: the first call is free, later ones count as retries', async () => {
    const early = calls('invoice_1');
    const { agent } = runOn(invoices(3), early, early, says('Sorry.'));

    const { messages } = await agent.run('Go.');

    expect(resultsIn(messages)).toEqual(['retry invoice_1', 'retry invoice_1']);
    expect(partsOf(messages)[2]).toMatchObject({ content: expect.stringContaining('Search') });
  });

  it('ends the run when its retries are exhausted', async () => {
    const early = calls('invoice_1');
    const { agent } = runOn(invoices(3), early, early, early);

    expect(await rejectionOf(agent.run('Go.'))).toBeInstanceOf(UnexpectedModelBehavior);
  });

  it('is free for each tool once', async () => {
    const { agent } = runOn(
      invoices(3),
      responds(calls('invoice_0'), calls('invoice_1')),
      calls('invoice_2'),
      says('Sorry.'),
    );

    const { messages } = await agent.run('Go.', { retries: 0 });

    expect(resultsIn(messages)).toHaveLength(3);
  });

  it('returns a retry also in the response that searches for it', async () => {
    const { agent } = runOn(
      invoices(3),
      responds(search('customer1'), calls('invoice_1')),
      calls('invoice_1'),
      says('Done.'),
    );

    const { messages } = await agent.run('Go.', { retries: 0 });

    expect(resultsIn(messages).slice(1)).toEqual(['retry invoice_1', 'invoice_1 ran']);
  });

  it('does not execute for another tool either, and is not listed', async () => {
    const seen: unknown[] = [];
    const outer = tool({
      name: 'outer',
      async execute(_args, { toolManager }) {
        for (const name of ['invoice_1', 'nobody']) {
          await toolManager.call(name).catch((error: unknown) => seen.push(error));
        }
      },
    });
    const model = scriptedModel(calls('outer'), says('Done.'));

    await new Agent({ model, tools: [outer], toolsets: [invoices(3)] }).run('Go.');

    expect(seen).toEqual([expect.any(ModelRetry), expect.any(ModelRetry)]);
    expect(String(seen[1])).not.toContain('invoice');
  });
});

describe('a ToolReturn with tools', () => {
  const open = (...tools: string[]) =>
    tool({ name: 'open', execute: () => new ToolReturn({ returnValue: 'opened', tools }) });

  it.each(ways)('reveals them, also to later runs: messages $way', async ({ messages: carry }) => {
    const model = scriptedModel(calls('open'), calls('invoice_2'), 'Done.', 'Still.');
    const agent = new Agent({ model, tools: [open('invoice_2')], toolsets: [invoices(5)] });

    const result = await agent.run('Go.');
    await agent.run('Go on.', { messageHistory: carry(result.messages) });

    expect(offeredTo(model)).toEqual([
      ['open', 'search_tools'],
      ['open', 'invoice_2', 'search_tools'],
      ['open', 'invoice_2', 'search_tools'],
      ['open', 'invoice_2', 'search_tools'],
    ]);
    expect(resultsIn(result.messages)).toEqual(['opened', 'invoice_2 ran']);
    expect(partsOf(result.messages)).toContainEqual(
      expect.objectContaining({ kind: 'tool-availability-delta', toolsAdded: ['invoice_2'] }),
    );
  });

  it('announces each tool once', async () => {
    const model = scriptedModel(
      responds(calls('open'), calls('open')),
      calls('open'),
      says('Done.'),
    );
    const agent = new Agent({ model, tools: [open('invoice_2')], toolsets: [invoices(5)] });

    const { messages } = await agent.run('Go.');

    const deltas = partsOf(messages).filter((part) => part.kind === 'tool-availability-delta');
    expect(deltas).toHaveLength(1);
  });
});
