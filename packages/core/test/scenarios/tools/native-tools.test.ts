import { Agent, DeferredToolRequests, type RunContext, tool, UserError } from 'holdpoint';
import { nativeTool } from 'holdpoint/capabilities';
import type { NativeTool, NativeToolSource } from 'holdpoint/models';
import { calls, says, type ScriptEntry, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { named, offeredTo, resultsIn } from '../../support/toolsets.ts';

const SEARCH: NativeTool = { kind: 'web-search' };

const CODE: NativeTool = { kind: 'code-execution' };

const all = ['web-search', 'code-execution', 'mcp-server', 'provider'] as const;

/** A local tool that stands in for the web search of providers. */
const standIn = () =>
  tool({ name: 'search', unlessNative: 'web-search', execute: () => 'found here' });

const nativeOf = (model: ReturnType<typeof scriptedModel>) =>
  model.calls.map((call) => call.nativeTools);

describe('native tools', () => {
  it('of the agent, its capabilities and the run reach the model, in this order', async () => {
    const model = scriptedModel('Done.', { supportsNative: all });
    const agent = new Agent({
      model,
      nativeTools: [SEARCH],
      capabilities: [nativeTool(CODE)],
    });
    const server: NativeTool = { kind: 'mcp-server', id: 'docs', url: 'https://docs.example' };

    await agent.run('Go.', { nativeTools: [server] });

    expect(nativeOf(model)).toEqual([[SEARCH, CODE, server]]);
  });

  it('are absent by default', async () => {
    const model = scriptedModel('Done.', { supportsNative: all });

    await new Agent({ model, tools: [standIn()] }).run('Go.');

    expect(nativeOf(model)).toEqual([[]]);
    expect(offeredTo(model)).toEqual([['search']]);
  });

  it('can depend on the context, step by step', async () => {
    const model = scriptedModel(calls('plain'), says('Done.'), says('Again.'), {
      supportsNative: all,
    });
    const agent = new Agent({
      model,
      tools: [named('plain')],
      nativeTools: [
        ({ runStep }) => (runStep === 1 ? SEARCH : undefined),
        async ({ deps }: RunContext<{ admin: boolean }>) => (deps.admin ? CODE : null),
      ],
    });

    await agent.run('Go.', { deps: { admin: true } });
    await agent.run('Go.', { deps: { admin: false } });

    expect(nativeOf(model)).toEqual([[SEARCH, CODE], [CODE], [SEARCH]]);
  });

  it('that are duplicates occur once, as the later one defines', async () => {
    const model = scriptedModel('Done.', { supportsNative: all });
    const limited: NativeTool = { kind: 'web-search', maxUses: 1 };

    await new Agent({ model, nativeTools: [SEARCH, CODE] }).run('Go.', { nativeTools: [limited] });

    expect(nativeOf(model)).toEqual([[limited, CODE]]);
  });

  it('of kinds that may occur several times are distinguished by their ids', async () => {
    const model = scriptedModel('Done.', { supportsNative: all });
    const server = (id: string, url: string): NativeTool => ({ kind: 'mcp-server', id, url });
    const shell = (name: string): NativeTool => ({ kind: 'provider', id: 'openai.shell', name });

    await new Agent({
      model,
      nativeTools: [
        server('a', 'https://old.example'),
        server('b', 'https://b.example'),
        shell('x'),
      ],
    }).run('Go.', { nativeTools: [server('a', 'https://new.example'), shell('y')] });

    expect(nativeOf(model)).toEqual([
      [server('a', 'https://new.example'), server('b', 'https://b.example'), shell('y')],
    ]);
  });

  it('fail the run if the function that selects them fails', async () => {
    const broken = new Error('Who knows?');
    const model = scriptedModel('Done.', { supportsNative: all });
    const agent = new Agent({ model, nativeTools: [() => Promise.reject(broken)] });

    expect(await rejectionOf(agent.run('Go.'))).toBe(broken);
    expect(model.calls).toEqual([]);
  });
});

describe('a native tool that the model does not have', () => {
  it('is an error that names it and the remedy, before a request is sent', async () => {
    const model = scriptedModel('Done.', { supportsNative: ['code-execution'] });
    const server: NativeTool = { kind: 'mcp-server', id: 'docs', url: 'https://docs.example' };
    const agent = new Agent({ model, nativeTools: [SEARCH, CODE, server] });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/`scripted`.*`web-search`, `mcp-server:docs`.*unlessNative/),
    });
    expect(model.calls).toEqual([]);
  });

  it('is an error with a model that declares no native tools', async () => {
    const { request } = scriptedModel('Done.');
    const model = { name: 'plain', system: 'test', request };

    await expect(new Agent({ model, nativeTools: [SEARCH] }).run('Go.')).rejects.toThrow(UserError);
  });

  it('is left out if it is optional', async () => {
    const model = scriptedModel('Done.', { supportsNative: ['code-execution'] });
    const agent = new Agent({ model, nativeTools: [{ ...SEARCH, optional: true }, CODE] });

    await agent.run('Go.');

    expect(nativeOf(model)).toEqual([[CODE]]);
  });

  it('is an error only in the step that requests it', async () => {
    const model = scriptedModel(calls('plain'), says('Done.'));
    const late: NativeToolSource = ({ runStep }) => (runStep === 2 ? SEARCH : undefined);
    const agent = new Agent({ model, tools: [named('plain')], nativeTools: [late] });

    await expect(agent.run('Go.')).rejects.toThrow(UserError);
    expect(model.calls).toHaveLength(1);
  });
});

describe('a tool with unlessNative', () => {
  const runOn = async (supported: boolean, ...script: readonly ScriptEntry[]) => {
    const model = scriptedModel(...script, { supportsNative: supported ? ['web-search'] : [] });
    const agent = new Agent({
      model,
      tools: [named('plain')],
      capabilities: [nativeTool(SEARCH, { local: standIn() })],
    });
    const result = await agent.run('Go.');
    return { model, result };
  };

  it('is left out if the model has the native tool', async () => {
    const { model } = await runOn(true, 'Done.');

    expect(offeredTo(model)).toEqual([['plain']]);
    expect(nativeOf(model)).toEqual([[SEARCH]]);
  });

  it('replaces the native tool if the model does not have it', async () => {
    const { model, result } = await runOn(false, calls('search'), says('Done.'));

    expect(offeredTo(model)[0]).toEqual(['plain', 'search']);
    expect(nativeOf(model)[0]).toEqual([]);
    expect(resultsIn(result.messages)).toEqual(['found here']);
  });

  it('does not execute if it is called although it was left out', async () => {
    const { result } = await runOn(true, calls('search'), says('Done.'));

    expect(resultsIn(result.messages)).toEqual(['retry search']);
  });

  it('is offered if the native tool is not requested, or not available in this step', async () => {
    const model = scriptedModel(calls('search'), says('Done.'), { supportsNative: all });
    const agent = new Agent({
      model,
      tools: [standIn()],
      nativeTools: [({ runStep }) => (runStep === 2 ? SEARCH : undefined)],
    });

    await agent.run('Go.');

    expect(offeredTo(model)).toEqual([['search'], []]);
    expect(nativeOf(model)).toEqual([[], [SEARCH]]);
  });

  it('selects one of several native tools by its id', async () => {
    const local = tool({ name: 'docs', unlessNative: 'mcp-server:docs', execute: () => 'here' });
    const model = scriptedModel('Done.', { supportsNative: all });
    const server = (id: string): NativeTool => ({
      kind: 'mcp-server',
      id,
      url: 'https://x.example',
    });
    const agent = new Agent({ model, tools: [local] });

    await agent.run('Go.', { nativeTools: [server('other')] }).catch(() => {});
    const second = scriptedModel('Done.', { supportsNative: all });
    await agent.run('Go.', { model: second, nativeTools: [server('docs')] });

    expect([offeredTo(model), offeredTo(second)]).toEqual([[['docs']], [[]]]);
  });

  it('keeps its approval requirement when it replaces a native tool', async () => {
    const ran: string[] = [];
    const local = tool({
      name: 'search',
      unlessNative: 'web-search',
      requiresApproval: true,
      execute: () => ran.push('search'),
    });
    const agent = new Agent({
      model: scriptedModel(calls('search')),
      output: [String, DeferredToolRequests],
      capabilities: [nativeTool(SEARCH, { local })],
    });

    await expectParked(agent.run('Go.'));

    expect(ran).toEqual([]);
  });
});
