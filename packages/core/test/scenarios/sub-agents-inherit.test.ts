import {
  Agent,
  CombinedToolset,
  DeferredToolRequests,
  DynamicToolset,
  FunctionToolset,
  inherit,
  type PlainToolsets,
  type RunContext,
  type Tool,
  type Toolset,
  tool,
  UserError,
} from 'holdpoint';
import { calls, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../support/deferral.ts';
import { rejectionOf } from '../support/latch.ts';
import { following, leadAgent, reporting, subAgent } from '../support/sub-agents.ts';
import { delegations } from '../support/toolset-policies/observe.ts';
import { ToldToolset } from '../support/toolset-policies/told-toolset.ts';
import { LivedToolset, named, offeredTo, resultsIn } from '../support/toolsets.ts';

const messageOf = (error: unknown) => {
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message;
};

describe('inherit', () => {
  it('refuses a run that nobody delegates, and says how it is used', async () => {
    const model = scriptedModel('unused');
    const sub = new Agent({ model, toolsets: [inherit('files')] });

    const message = messageOf(await rejectionOf(sub.run('Go.')));

    expect(message).toContain("inherit('files')");
    expect(message).toContain('asTool()');
    expect(message).toContain('parent: ctx');
    expect(model.calls).toEqual([]);
  });

  it('refuses a run that a tool starts without saying who delegates', async () => {
    const sub = subAgent([], { toolsets: [inherit('files')] });
    const alone = tool({
      name: 'sub',
      inputSchema: z.object({ prompt: z.string() }),
      execute: async ({ prompt }) => (await sub.run(prompt)).output,
    });
    const lead = leadAgent(alone, { toolsets: [new LivedToolset('files')] });

    expect(messageOf(await rejectionOf(lead.run('Go.')))).toContain('parent: ctx');
  });

  it.each<[string, PlainToolsets]>([
    ['it has none', []],
    ['it has others', [new LivedToolset('other'), new FunctionToolset([named('a')])]],
    ['its factory has made nothing', [() => undefined]],
  ])('refuses an id that the delegating run does not have: %s', async (_what, toolsets) => {
    const model = scriptedModel('unused');
    const sub = new Agent({ name: 'sub', model, toolsets: [inherit('files')] });

    const message = messageOf(await rejectionOf(leadAgent(sub.asTool(), { toolsets }).run('Go.')));

    expect(message).toContain("inherit('files') finds nothing");
    expect(message).toContain("'files'");
    expect(model.calls).toEqual([]);
  });

  it('says that a factory must not give it', async () => {
    const sub = subAgent([], { toolsets: [() => inherit('files', { share: true })] });
    const lead = leadAgent(sub.asTool(), { toolsets: [new LivedToolset('files')] });

    expect(messageOf(await rejectionOf(lead.run('Go.')))).toMatch(/factory|function/);
  });

  it('does not keep an agent from being held open', async () => {
    const sub = subAgent([], { toolsets: [inherit('files')] });
    await using _held = await sub.open();

    const { output } = await leadAgent(sub.asTool(), { toolsets: [new LivedToolset('files')] }).run(
      'Go.',
    );

    expect(output).toBe('Done.');
  });
});

describe.each(delegations)('what is inherited with $way', ({ delegate }) => {
  /** The tools that a sub-agent is offered with these toolsets. */
  async function offered(lead: PlainToolsets, sub: PlainToolsets): Promise<readonly string[]> {
    const model = scriptedModel('Done.');
    const agent = new Agent<readonly Tool[]>({ name: 'sub', model, toolsets: sub });
    await leadAgent(delegate(agent), { toolsets: lead }).run('Go.');
    return offeredTo(model)[0]!;
  }

  it('has the forms that it has in the delegating run', async () => {
    const files = new LivedToolset('files', [], { tools: [named('read'), named('remove')] });

    const names = await offered(
      [files.filtered(['read']).prefixed('disk')],
      [inherit('files').prefixed('my')],
    );

    expect(names).toEqual(['my_disk_read']);
  });

  it('has the forms of the agents between', async () => {
    const model = scriptedModel('Done.');
    const nested = new Agent<readonly Tool[]>({
      name: 'nested',
      model,
      toolsets: [inherit('files')],
    });
    const sub = subAgent([calls('nested', { prompt: '' })], {
      tools: [delegate(nested)],
      toolsets: [inherit('files').prefixed('b')],
    });
    const files = new LivedToolset('files', [], { tools: [named('read')] });

    await leadAgent(delegate(sub), { toolsets: [files.prefixed('a')] }).run('Go.');

    expect(offeredTo(model)).toEqual([['b_a_read']]);
  });

  it.each<[string, (files: Toolset) => PlainToolsets]>([
    ['a combination', (files) => [new CombinedToolset([files]).prefixed('disk')]],
    ['a factory', (files) => [new DynamicToolset(() => files).prefixed('disk')]],
    [
      'a factory for the run',
      (files) => [new DynamicToolset(() => files, { perRunStep: false }).prefixed('disk')],
    ],
    [
      'a factory with the id',
      (files) => [new DynamicToolset(() => files, { id: 'files' }).prefixed('disk')],
    ],
  ])('has the forms around %s that it is in', async (_what, compose) => {
    const files = new LivedToolset('files', [], { tools: [named('read')] });

    expect(await offered(compose(files), [inherit('files')])).toEqual(['disk_read']);
  });

  it('tells the model what it tells it in the delegating run', async () => {
    const files = new FunctionToolset<{ user: string }>([], {
      id: 'files',
      instructions: (ctx) => `The files are those of ${ctx.deps.user}.`,
    });
    const model = scriptedModel('Done.');
    const sub = new Agent<readonly Tool[]>({ name: 'sub', model, toolsets: [inherit('files')] });
    const lead = new Agent({
      model: following(calls('sub', { prompt: '' })),
      tools: [delegate(sub)],
      toolsets: [files],
    });

    await lead.run('Go.', { deps: { user: 'Ada' } });

    expect(model.calls[0]?.instructions).toBe('The files are those of Ada.');
  });

  it('keeps tools hidden that are hidden, until the sub-agent finds them', async () => {
    const files = new LivedToolset('files', [], { tools: [named('read')] });
    const model = scriptedModel(
      calls('search_tools', { queries: ['read'] }),
      calls('read'),
      'Done.',
    );
    const sub = new Agent<readonly Tool[]>({ name: 'sub', model, toolsets: [inherit('files')] });

    await leadAgent(delegate(sub), { toolsets: [files.deferLoading()] }).run('Go.');

    expect(offeredTo(model)).toEqual([
      ['search_tools'],
      ['read', 'search_tools'],
      ['read', 'search_tools'],
    ]);
  });

  it('is the instance of the moment: a factory is not asked again for the sub-agent', async () => {
    const asked: string[] = [];
    const factory = new DynamicToolset(
      (ctx) => {
        asked.push(`${ctx.agent.name} ${ctx.runStep}`);
        return new LivedToolset('files', [], { tools: [named('read')] });
      },
      { id: 'files' },
    );
    const sub = subAgent([calls('read'), calls('read')], { toolsets: [inherit('files')] });

    await leadAgent(delegate(sub), { toolsets: [factory] }).run('Go.');

    expect(asked).toEqual(['lead 1', 'lead 2']);
  });

  it('is that also where a form is around the factory', async () => {
    const asked: string[] = [];
    const made: LivedToolset[] = [];
    const factory = new DynamicToolset(
      (ctx) => {
        asked.push(`${ctx.agent.name} ${ctx.runStep}`);
        made.push(new LivedToolset('files', [], { tools: [named('read')] }));
        return made.at(-1)!;
      },
      { id: 'files' },
    );
    const opened: number[][] = [];
    const look = tool({
      name: 'look',
      execute: () => void opened.push(made.map((one) => one.opened)),
    });
    const sub = subAgent([calls('x_read'), calls('look')], {
      tools: [look],
      toolsets: [inherit('files', { share: true })],
    });

    await leadAgent(delegate(sub), { toolsets: [factory.prefixed('x')] }).run('Go.');

    expect(asked).toEqual(['lead 1', 'lead 2']);
    expect(opened).toEqual([[1]]);
  });

  it('is what the toolset inside of a form around a factory says', async () => {
    const copy = new LivedToolset('files', [], { tools: [named('copied')] });
    const files = new ToldToolset('files', [], { forSubAgent: () => copy });
    const lead = new DynamicToolset(() => files, { id: 'files', perRunStep: false }).prefixed('x');

    expect(await offered([lead], [inherit('files')])).toEqual(['x_copied']);
  });

  it('is not asked forRun again', async () => {
    const log: string[] = [];
    const files = new LivedToolset('files', log);

    await leadAgent(delegate(subAgent([], { toolsets: [inherit('files')] })), {
      toolsets: [files],
    }).run('Go.');

    expect(log.filter((line) => line.endsWith('forRun'))).toEqual(['files forRun']);
  });
});

describe('a gate', () => {
  const ran: string[] = [];
  const remove = tool({
    name: 'remove',
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }) => void ran.push(path),
  });
  const files = () => new FunctionToolset([remove], { id: 'files' });

  /** What comes of a removal that a sub-agent asks for. */
  async function removal(lead: PlainToolsets, sub: PlainToolsets) {
    ran.length = 0;
    const agent = subAgent([calls('remove', { path: '.env' }, { id: 'inner' })], { toolsets: sub });
    const result = await new Agent({
      model: scriptedModel(calls('sub', { prompt: '' }, { id: 'outer' }), 'Done.'),
      tools: [agent.asTool()],
      toolsets: lead,
      output: [String, DeferredToolRequests],
    }).run('Go.');
    return { result, ran: [...ran] };
  }

  it.each<[string, () => PlainToolsets, () => PlainToolsets]>([
    ['around the toolset', () => [files().approvalRequired()], () => [inherit('files')]],
    [
      'around the toolset, shared',
      () => [files().approvalRequired()],
      () => [inherit('files', { share: true })],
    ],
    [
      'inside of other forms',
      () => [files().approvalRequired().withMetadata({ a: 1 }).filtered('all')],
      () => [inherit('files')],
    ],
    [
      'of the toolset itself',
      () => [new FunctionToolset([remove], { id: 'files', requiresApproval: true })],
      () => [inherit('files')],
    ],
    [
      'around a combination that the toolset is in',
      () => [new CombinedToolset([files(), new LivedToolset('other')]).approvalRequired()],
      () => [inherit('files')],
    ],
    [
      'around a factory that made the toolset',
      () => [new DynamicToolset(() => files()).approvalRequired()],
      () => [inherit('files')],
    ],
    [
      'around a factory with the id',
      () => [new DynamicToolset(() => files(), { id: 'files' }).approvalRequired()],
      () => [inherit('files')],
    ],
    ['that the sub-agent adds', () => [files()], () => [inherit('files').approvalRequired()]],
  ])('comes with the toolset: one %s', async (_what, lead, sub) => {
    const { result, ran: early } = await removal(lead(), sub());

    expect(early).toEqual([]);
    expect(result.status === 'deferred' && result.output.approvals).toMatchObject([
      { toolName: 'remove', toolCallId: 'outer/inner' },
    ]);
  });

  it('comes with the toolset: the policy of the agent that delegates', async () => {
    const agent = subAgent([calls('remove', { path: '.env' })], { toolsets: [inherit('files')] });
    ran.length = 0;

    const result = await new Agent({
      model: scriptedModel(calls('sub', { prompt: '' }), 'Done.'),
      tools: [agent.asTool()],
      toolsets: [files()],
      approvalPolicy: (_ctx, { name }) => name === 'remove',
      output: [String, DeferredToolRequests],
    }).run('Go.');

    expect(ran).toEqual([]);
    expect(result.status).toBe('deferred');
  });

  it('lets the call run once it is approved, and not before', async () => {
    const agent = subAgent([calls('remove', { path: '.env' })], { toolsets: [inherit('files')] });
    const lead = new Agent({
      model: scriptedModel(calls('sub', { prompt: '' }), 'Done.'),
      tools: [agent.asTool()],
      toolsets: [() => files().approvalRequired()],
      output: [String, DeferredToolRequests],
    });
    ran.length = 0;

    const parked = await expectParked(lead.run('Go.'));
    expect(ran).toEqual([]);
    await lead.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(ran).toEqual(['.env']);
  });

  it('is asked about the deps of the run that the toolset comes from', async () => {
    const policy = (ctx: RunContext<{ careful: boolean }>) => ctx.deps.careful;
    const guarded = files().approvalRequired(policy);
    const sub = new Agent({
      name: 'sub',
      model: following(calls('remove', { path: '.env' })),
      toolsets: [inherit('files')],
    });
    const lead = (careful: boolean) =>
      new Agent({
        model: scriptedModel(calls('sub', { prompt: '' }), 'Done.'),
        tools: [sub.asTool({ deps: () => ({ careful: !careful }) })],
        toolsets: [guarded],
        output: [String, DeferredToolRequests],
      }).run('Go.', { deps: { careful } });

    expect([(await lead(true)).status, (await lead(false)).status]).toEqual([
      'deferred',
      'finished',
    ]);
  });
});

describe('the deps of inherited tools', () => {
  const who = tool({
    name: 'who',
    inputSchema: z.object({ name: z.string() }),
    argsValidator: ({ name }, ctx: RunContext<{ user: string }>) => {
      seen.push(`validator: ${ctx.deps.user} for ${name}`);
    },
    requiresApproval: (_args, ctx) => {
      seen.push(`approval: ${ctx.deps.user}`);
      return false;
    },
    execute: (_args, ctx) => `${ctx.agent.name} for ${ctx.deps.user}`,
  });
  let seen: string[] = [];

  const people = () =>
    new FunctionToolset([who], {
      id: 'people',
      instructions: (ctx: RunContext<{ user: string }>) => `This is ${ctx.deps.user}.`,
    });
  const own = tool({
    name: 'own',
    execute: (_args, ctx: RunContext<{ tenant: number }>) => `tenant ${ctx.deps.tenant}`,
  });

  it('are those of the run that the toolset comes from; the sub-agent’s own tools have its own', async () => {
    seen = [];
    const sub = new Agent({
      name: 'sub',
      model: reporting(calls('who', { name: 'x' }), calls('own')),
      tools: [own],
      toolsets: [inherit('people')],
    });
    const lead = new Agent({
      model: following(calls('sub', { prompt: '' })),
      tools: [sub.asTool({ deps: () => ({ tenant: 7 }) })],
      toolsets: [people()],
    });

    const { messages } = await lead.run('Go.', { deps: { user: 'ada' } });

    expect(resultsIn(messages)).toEqual(['sub for ada; tenant 7']);
    expect(seen).toEqual(['validator: ada for x', 'approval: ada']);
  });

  it('are those of the first run, however often the toolset is inherited', async () => {
    const nested = new Agent({
      name: 'nested',
      model: reporting(calls('who', { name: 'x' })),
      toolsets: [inherit('people')],
    });
    const sub = new Agent({
      name: 'sub',
      model: reporting(calls('nested', { prompt: '' }), calls('own')),
      tools: [own, nested.asTool({ deps: () => 'nobody' })],
      toolsets: [inherit('people', { share: true })],
    });
    const lead = new Agent({
      model: following(calls('sub', { prompt: '' })),
      tools: [sub.asTool({ deps: () => ({ tenant: 7 }) })],
      toolsets: [people()],
    });

    const { messages } = await lead.run('Go.', { deps: { user: 'ada' } });

    expect(resultsIn(messages)).toEqual(['nested for ada; tenant 7']);
  });

  it('are those of the sub-agent’s run where it has the instance itself', async () => {
    const shared = people();
    const sub = new Agent({
      name: 'sub',
      model: reporting(calls('who', { name: 'x' })),
      toolsets: [shared],
    });
    const lead = new Agent({
      model: following(calls('sub', { prompt: '' })),
      tools: [sub.asTool({ deps: () => ({ user: 'bob' }) })],
      toolsets: [shared],
    });

    const { messages } = await lead.run('Go.', { deps: { user: 'ada' } });

    expect(resultsIn(messages)).toEqual(['sub for bob']);
  });
});
