import {
  Agent,
  CombinedToolset,
  FunctionToolset,
  inherit,
  requestsFromMessages,
  type Tool,
} from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import { prefixTools } from 'holdpoint/capabilities';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { idsOf } from '../support/histories.ts';
import { present } from '../support/present.ts';
import { following, parkingAgent, parkingOutput, removeTool, stored } from './support/pairs.ts';

/** An agent as a tool, and its executions. */
function subTool() {
  const { remove, ran } = removeTool();
  const sub = new Agent<readonly Tool[]>({
    name: 'sub',
    tools: [remove],
    model: following(calls('remove', { path: 'a' }, { id: 'in' })),
  });
  return { sub: sub.asTool(), ran };
}

describe('an agent as a tool of a toolset', () => {
  const forms: readonly [string, string, (sub: Tool) => PlainToolsets][] = [
    ['as it is', 'sub', (sub) => [new FunctionToolset([sub])]],
    ['prefixed', 'team_sub', (sub) => [new FunctionToolset([sub]).prefixed('team')]],
    [
      'prefixed twice',
      'all_team_sub',
      (sub) => [new FunctionToolset([sub]).prefixed('team').prefixed('all')],
    ],
    ['renamed', 'helper', (sub) => [new FunctionToolset([sub]).renamed({ helper: 'sub' })]],
    ['filtered', 'sub', (sub) => [new FunctionToolset([sub]).filtered(() => true)]],
    [
      'prepared',
      'sub',
      (sub) => [
        new FunctionToolset([sub]).prepared((_ctx, definitions) =>
          definitions.map((definition) => ({ ...definition, description: 'Helps.' })),
        ),
      ],
    ],
    ['combined', 'sub', (sub) => [new CombinedToolset([new FunctionToolset([sub])])]],
    ['made for each run', 'sub', (sub) => [() => new FunctionToolset([sub])]],
    [
      'made for each run, and prefixed',
      'team_sub',
      (sub) => [() => new FunctionToolset([sub]).prefixed('team')],
    ],
  ];

  it.each(forms)('parks and resumes with the run: %s', async (_form, name, toolsets) => {
    const { sub, ran } = subTool();
    const script = [calls(name, { prompt: 'Go on.' }, { id: 'out' })];
    const parked = await expectParked(parkingAgent(script, { toolsets: toolsets(sub) }).run('Go.'));
    expect(parked.output.get('out/in').path).toEqual([{ toolName: name, toolCallId: 'out' }]);

    const messages = stored(parked);
    const results = present(requestsFromMessages(messages)).buildResults({ approveAll: true });
    const done = await parkingAgent(script, { toolsets: toolsets(sub) }).resume(
      { messages },
      results,
    );

    expect(done.status).toBe('finished');
    expect(ran).toEqual(['a']);
  });

  it('is requested first if its toolset requires approval', async () => {
    const { sub, ran } = subTool();
    const agent = parkingAgent([calls('team_sub', { prompt: 'Go on.' }, { id: 'out' })], {
      toolsets: [new FunctionToolset([sub]).approvalRequired().prefixed('team')],
    });

    const first = await expectParked(agent.run('Go.'));
    expect(idsOf(first.output.approvals)).toEqual(['out']);
    const second = await expectParked(
      agent.resume({ messages: stored(first) }, first.output.buildResults({ approveAll: true })),
    );
    expect(idsOf(second.output.approvals)).toEqual(['out/in']);
    const done = await agent.resume(
      { messages: stored(second) },
      second.output.buildResults({ approveAll: true }),
    );

    expect(done.status).toBe('finished');
    expect(ran).toEqual(['a']);
  });

  it('parks and resumes inside a capability that prefixes tools', async () => {
    const { sub, ran } = subTool();
    const agent = new Agent({
      model: following(calls('team_sub', { prompt: 'Go on.' }, { id: 'out' })),
      capabilities: [
        prefixTools('team', { name: 'helpers', toolsets: [new FunctionToolset([sub])] }),
      ],
      output: parkingOutput,
    });
    const parked = await expectParked(agent.run('Go.'));

    await agent.resume(
      { messages: stored(parked) },
      parked.output.buildResults({ approveAll: true }),
    );

    expect(ran).toEqual(['a']);
  });

  it('parks on calls of inherited toolsets', async () => {
    const { remove, ran } = removeTool();
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      toolsets: [inherit('files')],
      model: following(calls('fs_remove', { path: 'a' }, { id: 'in' })),
    });
    const agent = parkingAgent([calls('sub', { prompt: 'Go on.' }, { id: 'out' })], {
      tools: [sub.asTool()],
      toolsets: [new FunctionToolset([remove], { id: 'files' }).prefixed('fs')],
    });
    const parked = await expectParked(agent.run('Go.'));
    expect(parked.output.approvals).toMatchObject([
      { toolName: 'fs_remove', toolCallId: 'out/in' },
    ]);

    await agent.resume(
      { messages: stored(parked) },
      parked.output.buildResults({ approveAll: true }),
    );

    expect(ran).toEqual(['a']);
  });
});
