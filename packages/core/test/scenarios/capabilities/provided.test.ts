import { Agent, type Capability, type RunContext, type Toolset, tool, UserError } from 'holdpoint';
import {
  handleDeferredToolCalls,
  includeReturnSchemas,
  nativeTool,
  prefixTools,
  prepareTools,
  processHistory,
  setToolMetadata,
  toolSearch,
} from 'holdpoint/capabilities';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentWith, capability } from '../../support/capabilities.ts';
import { partsOf } from '../../support/conversation.ts';
import { expectParked, workshop } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { LivedToolset, named, offeredTo, resultsIn, toolsetOf } from '../../support/toolsets.ts';

describe('all provided capabilities', () => {
  const all: readonly Capability[] = [
    handleDeferredToolCalls(() => undefined),
    includeReturnSchemas(),
    nativeTool({ kind: 'web-search', optional: true }),
    prefixTools('x', { name: 'prefixed' }),
    prepareTools((_ctx, definitions) => definitions),
    processHistory((messages) => messages),
    setToolMetadata({}),
    toolSearch(),
  ];

  it('can be combined, also twice', async () => {
    const { agent } = agentWith([...all, ...all], {
      tools: [named('a')],
      script: [calls('a'), says('Done.')],
    });

    expect((await agent.run('Go.')).output).toBe('Done.');
  });

  it('are frozen, and have a name for errors', () => {
    for (const one of all) {
      expect(Object.isFrozen(one)).toBe(true);
      expect(one.name).toMatch(/^\w+$/);
    }
  });
});

describe('handleDeferredToolCalls', () => {
  it('resolves calls during the run', async () => {
    const shop = workshop();
    const approving = handleDeferredToolCalls((requests) =>
      requests.buildResults({ approveAll: true }),
    );
    const { agent } = agentWith([approving], {
      tools: [shop.remove],
      script: [calls('remove', { path: 'a' }), says('Done.')],
    });

    expect((await agent.run('Go.')).output).toBe('Done.');
    expect(shop.ran()).toEqual(['remove a']);
  });
});

describe('prepareTools', () => {
  it('changes, removes and orders all tools, in every step', async () => {
    const preparing = prepareTools(({ runStep }, definitions) =>
      definitions
        .filter(({ name }) => runStep === 1 || name !== 'b')
        .map((definition) => ({ ...definition, description: `In step ${runStep}.` }))
        .toReversed(),
    );
    const { model, agent } = agentWith([preparing, capability({ tools: [named('c')] })], {
      tools: [named('a'), named('b')],
      script: [calls('a'), says('Done.')],
    });

    await agent.run('Go.');

    expect(offeredTo(model)).toEqual([
      ['c', 'b', 'a'],
      ['c', 'a'],
    ]);
    expect(model.calls[1]?.functionTools[0]?.description).toBe('In step 2.');
  });

  it('knows the deps', async () => {
    const preparing = prepareTools((ctx: RunContext<{ admin: boolean }>, definitions) =>
      ctx.deps.admin ? definitions : [],
    );
    const model = scriptedModel('Yes.', 'No.');
    const agent = new Agent({ model, tools: [named('a')], capabilities: [preparing] });

    await agent.run('Go.', { deps: { admin: true } });
    await agent.run('Go.', { deps: { admin: false } });

    expect(offeredTo(model)).toEqual([['a'], []]);
  });
});

describe('processHistory', () => {
  it('changes the messages that are sent and stored', async () => {
    const redacting = processHistory({
      onNew: (messages) =>
        messages.map((message) =>
          message.kind === 'request'
            ? { ...message, parts: [{ kind: 'user-prompt', content: '(redacted)' }] }
            : message,
        ),
    });
    const { model, agent } = agentWith([redacting]);

    const { messages } = await agent.run('My secret.');

    expect(JSON.stringify([model.calls, messages])).not.toContain('secret');
    expect(partsOf(messages)[0]).toMatchObject({ content: '(redacted)' });
  });
});

describe('includeReturnSchemas', () => {
  const typed = (name: string) =>
    tool({ name, outputSchema: z.object({ size: z.number() }), execute: () => ({ size: 1 }) });
  const included = (model: ReturnType<typeof scriptedModel>) =>
    model.calls[0]?.functionTools.map(({ includeReturnSchema }) => includeReturnSchema);

  it('sends the return schemas of all tools to the model', async () => {
    const { model, agent } = agentWith([includeReturnSchemas()], {
      tools: [typed('a')],
      toolsets: [toolsetOf('b')],
    });

    await agent.run('Go.');

    expect(included(model)).toEqual([true, true]);
  });

  it('sends the return schemas of selected tools', async () => {
    const { model, agent } = agentWith([includeReturnSchemas(['b'])], {
      tools: [typed('a'), typed('b')],
    });

    await agent.run('Go.');

    expect(included(model)).toEqual([undefined, true]);
  });
});

describe('setToolMetadata', () => {
  it('overrides the metadata of the selected tools', async () => {
    const tools = [
      tool({ name: 'a', metadata: { team: 'x', level: 1 }, execute: () => 1 }),
      named('b'),
    ];
    const { model, agent } = agentWith([setToolMetadata({ team: 'ops' }, ['a'])], { tools });

    await agent.run('Go.');

    expect(model.calls[0]?.functionTools.map(({ metadata }) => metadata)).toEqual([
      { team: 'ops', level: 1 },
      undefined,
    ]);
  });

  it('is visible to later capabilities', async () => {
    const onlyOps = capability({ changeTools: (tools) => tools.filtered({ team: 'ops' }) });
    const { model, agent } = agentWith([setToolMetadata({ team: 'ops' }, ['a']), onlyOps], {
      tools: [named('a'), named('b')],
    });

    await agent.run('Go.');

    expect(offeredTo(model)).toEqual([['a']]);
  });
});

describe('prefixTools', () => {
  it('prefixes the tools of one capability only', async () => {
    const calendar: Capability = {
      name: 'calendar',
      tools: [named('add')],
      toolsets: [toolsetOf('list'), () => toolsetOf('made')],
      instructions: 'Times are local.',
    };
    const { model, agent } = agentWith([prefixTools('work', calendar)], {
      tools: [named('add')],
      script: [calls('work_add'), says('Done.')],
    });

    const { messages } = await agent.run('Go.');

    expect(offeredTo(model)[0]).toEqual(['add', 'work_add', 'work_list', 'work_made']);
    expect(model.calls[0]?.instructions).toBe('Times are local.');
    expect(resultsIn(messages)).toEqual(['add ran']);
  });

  it('allows one capability twice', async () => {
    const calendar: Capability = { name: 'calendar', tools: { add: named('x') } };
    const { model, agent } = agentWith([
      prefixTools('work', calendar),
      prefixTools('home', calendar),
    ]);

    await agent.run('Go.');

    expect(offeredTo(model)).toEqual([['work_add', 'home_add']]);
  });

  it('keeps the name, the hooks and the requirements of the capability', async () => {
    const log: string[] = [];
    const guarded: Capability = {
      name: 'guarded',
      requires: ['other'],
      tools: [named('add')],
      wrapToolExecution(_call, next, { toolName }) {
        log.push(String(toolName));
        return next();
      },
    };

    expect(() => agentWith([prefixTools('x', guarded)])).toThrow(/`guarded` requires `other`/);
    const { agent } = agentWith([prefixTools('x', guarded), { name: 'other' }], {
      script: [calls('x_add'), says('Done.')],
    });
    await agent.run('Go.');

    expect(log).toEqual(['x_add']);
  });

  it('keeps the hooks of a capability that is a class', async () => {
    class Guard implements Capability {
      readonly name = 'guard';
      readonly tools = [named('add')];
      wrapOutput(): Promise<unknown> {
        return Promise.resolve('Guarded.');
      }
    }

    expect((await agentWith([prefixTools('x', new Guard())]).agent.run('Go.')).output).toBe(
      'Guarded.',
    );
  });

  it('keeps approval requirements, also of tools from factories', async () => {
    const shop = workshop();
    const files: Capability = { name: 'files', tools: [shop.remove], toolsets: [() => shop.paint] };
    const { agent } = agentWith([prefixTools('x', files)], {
      script: [calls('x_remove', { path: 'a' })],
    });

    await expectParked(agent.run('Go.'));

    expect(shop.ran()).toEqual([]);
  });

  it('opens and closes toolsets as without a prefix', async () => {
    const toolset = new LivedToolset('box');
    const made: LivedToolset[] = [];
    const factory = (): Toolset => {
      const box = new LivedToolset('made');
      made.push(box);
      return box;
    };
    const boxes: Capability = { name: 'boxes', toolsets: [toolset, factory] };
    const { agent } = agentWith([prefixTools('x', boxes)], { script: ['One.', 'Two.'] });

    await agent.run('Go.');
    await agent.run('Go.');

    expect([toolset.timesOpened, toolset.opened]).toEqual([2, 0]);
    expect(made.map(({ timesOpened, opened }) => [timesOpened, opened])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });
});

describe('toolSearch', () => {
  it('rejects an invalid limit when the run starts', async () => {
    const { agent } = agentWith([toolSearch({ maxResults: 0 })], {
      tools: [tool({ name: 'a', deferLoading: true, execute: () => 1 })],
    });

    expect(await rejectionOf(agent.run('Go.'))).toBeInstanceOf(UserError);
  });

  it('of the run overrides that of the agent', async () => {
    const hidden = ['a', 'b', 'c'].map((name) =>
      tool({ name: `find_${name}`, deferLoading: true, execute: () => 1 }),
    );
    const { agent } = agentWith([toolSearch({ maxResults: 3 })], {
      tools: hidden,
      script: [calls('search_tools', { queries: ['find'] }), says('Done.')],
    });

    const { messages } = await agent.run('Go.', { capabilities: [toolSearch({ maxResults: 1 })] });

    expect(resultsIn(messages)).toMatchObject([{ discovered_tools: [{ name: 'find_a' }] }]);
  });
});

describe('nativeTool', () => {
  it('offers the native tool, or the local one if there is none', async () => {
    const local = tool({ name: 'search', unlessNative: 'web-search', execute: () => 'here' });
    const searching = nativeTool({ kind: 'web-search' }, { local });
    const has = scriptedModel('Done.', { supportsNative: ['web-search'] });
    const hasNot = scriptedModel('Done.');
    const { agent } = agentWith([searching]);

    await agent.run('Go.', { model: has });
    await agent.run('Go.', { model: hasNot });

    expect([has, hasNot].map((model) => offeredTo(model)[0])).toEqual([[], ['search']]);
    expect([has, hasNot].map((model) => model.calls[0]?.nativeTools.length)).toEqual([1, 0]);
  });

  it('rejects a local tool that cannot replace it', () => {
    const local = named('search');

    expect(() => nativeTool({ kind: 'web-search' }, { local })).toThrow(UserError);
  });
});
