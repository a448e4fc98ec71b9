import {
  Agent,
  DeferredToolRequests,
  FunctionToolset,
  messageCodec,
  tool,
  ToolReturn,
  UserError,
} from 'holdpoint';
import { calls, responds, says, type ScriptEntry, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { search } from '../../support/hidden-tools.ts';
import { present } from '../../support/present.ts';

describe('a hidden tool that requires approval', () => {
  const output = [String, DeferredToolRequests] as const;
  /** An agent with a hidden tool that pays, and the list of payments. */
  function cashier(script: readonly ScriptEntry[]) {
    const paid: number[] = [];
    const pay = tool({
      name: 'pay',
      inputSchema: z.object({ euros: z.number() }),
      requiresApproval: true,
      deferLoading: true,
      execute: ({ euros }) => void paid.push(euros),
    });
    const check = tool({
      name: 'check',
      inputSchema: z.object({ euros: z.number() }),
      execute: ({ euros }) => void paid.push(euros),
    });
    const outer = tool({
      name: 'outer',
      execute: (_args, { toolManager }) => toolManager.call('pay', { euros: 9 }),
    });
    const reveal = tool({
      name: 'reveal',
      execute: () => new ToolReturn({ returnValue: 'there', tools: ['pay', 'guarded_check'] }),
    });
    const agent = new Agent({
      model: scriptedModel(...script),
      tools: [outer, reveal],
      toolsets: [
        new FunctionToolset([pay]),
        new FunctionToolset([check]).approvalRequired().prefixed('guarded').deferLoading(),
      ],
      output,
    });
    return { agent, paid };
  }

  it.each<[string, ScriptEntry[], string]>([
    ['found', [search('pay')], 'pay'],
    ['revealed', [calls('reveal')], 'pay'],
    ['found, guarded by its toolset', [search('check')], 'guarded_check'],
    ['revealed, guarded by its toolset', [calls('reveal')], 'guarded_check'],
  ])(
    'is deferred once it is %s, and executes when it is approved',
    async (_what, first, toolName) => {
      const { agent, paid } = cashier([...first, calls(toolName, { euros: 5 }), says('Paid.')]);

      const parked = await expectParked(agent.run('Go.'));
      expect(parked.output.approvals).toMatchObject([{ toolName }]);
      expect(paid).toEqual([]);
      const messages = messageCodec.parse(messageCodec.stringify(parked.messages));
      await agent.resume({ messages }, parked.output.buildResults({ approveAll: true }));

      expect(paid).toEqual([5]);
    },
  );

  it.each<[string, ScriptEntry[]]>([
    ['called before it is found', [calls('pay', { euros: 5 }), says('Sorry.')]],
    [
      'called beside its search',
      [responds(search('pay'), calls('pay', { euros: 5 })), says('No.')],
    ],
    ['called by another tool', [calls('outer'), says('Sorry.')]],
    ['called by another tool, once found', [search('pay'), calls('outer'), says('Sorry.')]],
    ['called and parked', [search('pay'), calls('pay', { euros: 5 })]],
    ['called with wrong arguments', [search('pay'), calls('pay', { euros: 'x' }), says('No.')]],
  ])('executes on no path without approval: %s', async (_what, script) => {
    const { agent, paid } = cashier(script);

    await agent.run('Go.').catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
    });

    expect(paid).toEqual([]);
  });

  it('executes on no path without approval: denied, cancelled, or requested again', async () => {
    const { agent, paid } = cashier([
      search('pay'),
      calls('pay', { euros: 5 }, { id: 'pay-1' }),
      says('Denied.'),
      says('Given up.'),
    ]);
    const parked = await expectParked(agent.run('Go.'));
    const { messages: messageHistory } = parked;

    await agent.resume(parked, parked.output.buildResults({ approvals: { 'pay-1': false } }));
    await agent.run('Leave it.', { messageHistory, onPendingCalls: 'cancel' });
    await expectParked(agent.run(undefined, { messageHistory }));

    expect(paid).toEqual([]);
  });

  it('does not execute if the approval belongs to a conversation that did not find it', async () => {
    const { agent, paid } = cashier([search('pay'), calls('pay', { euros: 5 }), says('Sorry.')]);
    const parked = await expectParked(agent.run('Go.'));
    const withoutSearch = [present(parked.messages[0]), ...parked.messages.slice(3)];

    await agent
      .resume({ messages: withoutSearch }, parked.output.buildResults({ approveAll: true }))
      .catch(() => {});

    expect(paid).toEqual([]);
  });
});
