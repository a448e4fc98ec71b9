import {
  type DeferredToolRequests,
  DeferredToolResults,
  DynamicToolset,
  ExternalToolset,
  ToolReturn,
  tool,
  UnexpectedModelBehavior,
  UserError,
} from 'holdpoint';
import { isAlwaysDeferred } from 'holdpoint/tools';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentIn, expectParked, ways, workshop } from '../../support/deferral.ts';
import { idsOf } from '../../support/histories.ts';
import { rejectionOf } from '../../support/latch.ts';
import { present } from '../../support/present.ts';

const browser = new ExternalToolset([
  {
    name: 'open_page',
    description: 'Opens a page in the browser.',
    parametersJsonSchema: { type: 'object', properties: { url: { type: 'string' } } },
  },
  { name: 'close_page' },
]);

describe('an external tool', () => {
  it('is offered to the model like any other', async () => {
    const model = scriptedModel(says('Hi.'));

    await agentIn(workshop(), [], { tools: [], toolsets: [browser] }).run('Hi.', { model });

    expect(model.calls[0]?.functionTools).toMatchObject([
      {
        name: 'open_page',
        description: 'Opens a page in the browser.',
        parametersJsonSchema: { properties: { url: { type: 'string' } } },
      },
      { name: 'close_page' },
    ]);
    expect(model.calls[0]?.functionTools.every(isAlwaysDeferred)).toBe(true);
  });

  it.each(ways)('receives its result from outside the run ($way)', async (way) => {
    const shop = workshop();
    const script = [
      responds(
        calls('open_page', { url: 'https://a' }, { id: 'o' }),
        calls('close_page', '', { id: 'c' }),
        calls('read', { path: 'b' }, { id: 'b' }),
      ),
    ];
    const options = { toolsets: [browser] };
    const parked = await expectParked(agentIn(shop, script, options).run('Go.'));

    expect(idsOf(parked.output.calls)).toEqual(['o', 'c']);
    expect(parked.output.approvals).toEqual([]);
    expect(parked.output.get('c').args).toEqual({});
    expect(shop.ran()).toEqual(['read b']);

    const results = parked.output.buildResults({
      calls: { o: new ToolReturn({ returnValue: { title: 'A' } }), c: null },
    });
    const finished = await agentIn(shop, [says('Done.')], options).run(undefined, {
      messageHistory: way.messages(parked.messages),
      deferredToolResults: way.results(results),
    });
    expect(finished.output).toBe('Done.');
    expect(finished.newMessages[0]?.parts).toMatchObject([
      { toolCallId: 'o', content: { title: 'A' } },
      { toolCallId: 'c', content: null },
    ]);
    // An external result does not count as an execution.
    expect(finished.usage.toolCalls).toBe(0);
  });

  it('accepts any object as arguments', async () => {
    const run = (args: string) =>
      agentIn(workshop(), [calls('open_page', args, { id: 'o' })], { toolsets: [browser] }).run(
        'Go.',
      );

    const parked = await expectParked(run('{"anything": [1]}'));
    expect(parked.output.get('o').args).toEqual({ anything: [1] });

    for (const broken of ['{"url":', '[1]', '"text"']) {
      const error = await rejectionOf(run(broken));
      expect(error).toBeInstanceOf(UnexpectedModelBehavior);
      expect(String(error)).toContain('open_page');
    }
  });

  it('cannot be approved in any way', async () => {
    const shop = workshop();
    const script = () => [calls('open_page', {}, { id: 'o' }), says('Done.')];
    const approving = (requests: DeferredToolRequests) =>
      new DeferredToolResults({ approvals: { [present(requests.calls[0]).toolCallId]: true } });
    const agent = agentIn(shop, script(), { toolsets: [browser] });
    const parked = await expectParked(agent.run('Go.'));

    const resumed = await rejectionOf(agent.resume(parked, approving(parked.output)));
    const inline = await rejectionOf(
      agentIn(shop, script(), { toolsets: [browser] }).run('Go.', {
        deferredToolHandler: approving,
      }),
    );

    for (const error of [resumed, inline]) {
      expect(error).toBeInstanceOf(UserError);
      expect(String(error)).toContain("'o'");
    }
    expect(() => parked.output.buildResults({ approvals: { o: true } })).toThrow("'o'");
  });

  it('may come and go with a dynamic toolset; a result is accepted even if the tool is gone', async () => {
    const shop = workshop();
    let there = true;
    const dynamic = new DynamicToolset(() => (there ? browser : undefined));
    const agent = agentIn(shop, [calls('open_page', {}, { id: 'o' }), says('Done.')], {
      toolsets: [dynamic],
    });
    const parked = await expectParked(agent.run('Go.'));
    there = false;

    const results = parked.output.buildResults({ calls: { o: 'opened' } });
    const finished = await agent.resume(parked, results);

    expect(finished.output).toBe('Done.');
    expect(finished.newMessages[0]?.parts).toMatchObject([{ toolCallId: 'o', content: 'opened' }]);
  });

  it('may replace a function tool in one step', async () => {
    const shop = workshop();
    let runs = 0;
    const sometimes = tool({
      name: 'sometimes',
      prepare: (ctx, definition) =>
        ctx.prompt === 'away' ? { ...definition, kind: 'external' } : definition,
      execute: () => {
        runs += 1;
        return 'here';
      },
    });
    const script = () => [calls('sometimes', {}, { id: 's' }), says('Done.')];
    const agent = () => agentIn(shop, script(), { tools: [sometimes] });

    await agent().run('home');
    const parked = await expectParked(agent().run('away'));

    expect(runs).toBe(1);
    expect(idsOf(parked.output.calls)).toEqual(['s']);
  });
});
