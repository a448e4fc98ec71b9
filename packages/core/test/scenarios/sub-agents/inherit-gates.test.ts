import {
  Agent,
  CombinedToolset,
  DeferredToolRequests,
  DynamicToolset,
  FunctionToolset,
  inherit,
  type RunContext,
  tool,
} from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import { calls, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { following, subAgent } from '../../support/sub-agents.ts';
import { LivedToolset } from '../../support/toolsets.ts';

describe('an approval requirement', () => {
  const ran: string[] = [];
  const remove = tool({
    name: 'remove',
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }) => void ran.push(path),
  });
  const files = () => new FunctionToolset([remove], { id: 'files' });

  /** Returns the outcome of a removal by a sub-agent. */
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
  ])('is inherited with the toolset: one %s', async (_what, lead, sub) => {
    const { result, ran: early } = await removal(lead(), sub());

    expect(early).toEqual([]);
    expect(result.status === 'parked' && result.output.approvals).toMatchObject([
      { toolName: 'remove', toolCallId: 'outer/inner' },
    ]);
  });

  it('is inherited with the toolset: the policy of the delegating agent', async () => {
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
    expect(result.status).toBe('parked');
  });

  it('permits the call after the approval, and not before', async () => {
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

  it('receives the deps of the run that owns the toolset', async () => {
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

    expect([(await lead(true)).status, (await lead(false)).status]).toEqual(['parked', 'finished']);
  });
});
