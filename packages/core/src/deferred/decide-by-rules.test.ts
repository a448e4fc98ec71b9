import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { untyped } from '../../test/support/untyped.ts';
import { Agent } from '../agent/agent.ts';
import type { RunContext } from '../context/run-context.ts';
import { UserError } from '../errors/user-errors.ts';
import { handleDeferredToolCalls } from '../capabilities/provided.ts';
import { calls, type ResponseDraft, responds, says, scriptedModel } from '../testing/index.ts';
import { tool } from '../tools/define-tool.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../tools/signals.ts';
import { ExternalToolset } from '../toolsets/external-toolset.ts';
import { type DecisionRule, decideByRules } from './decide-by-rules.ts';
import { ToolApproved, ToolDenied } from './decisions.ts';
import { approveAll, chainHandlers } from './handlers.ts';
import { DeferredToolRequests } from './requests.ts';

const isDraft = (args: unknown) => (args as { path: string }).path.startsWith('/drafts/');

describe('decideByRules', () => {
  it('decides by the first rule that matches', async () => {
    const { agent, removed } = agentWith(
      responds(calls('remove', { path: '/drafts/a' }), calls('remove', { path: '/etc/b' })),
    );

    const result = await agent.run('Tidy up.', {
      deferredToolHandler: decideByRules([
        { tool: 'remove', args: isDraft, decision: true },
        { tool: 'remove', decision: new ToolDenied('Only drafts.') },
        { tool: 'remove', decision: true },
      ]),
    });

    expect(removed).toEqual(['/drafts/a']);
    expect(result.messages.at(-2)?.parts).toMatchObject([
      { content: 'removed', outcome: 'success' },
      { content: 'Only drafts.', outcome: 'denied' },
    ]);
  });

  it.each<[string, DecisionRule['tool']]>([
    ['its name', 'remove'],
    ['a list of names', ['render', 'remove']],
    ['a function', (call) => call.toolName.startsWith('rem')],
    ['the tool itself', (call) => removeTool([]).matches(call)],
  ])('picks a tool by %s', async (_, selector) => {
    const { agent, removed } = agentWith(calls('remove', { path: 'a' }));

    await agent.run('Go.', {
      deferredToolHandler: decideByRules([{ tool: selector, decision: true }]),
    });

    expect(removed).toEqual(['a']);
  });

  it('passes rules the arguments as the tool will receive them', async () => {
    const { agent, removed } = agentWith(calls('remove', '{}'));
    const seen: unknown[] = [];

    await agent.run('Go.', {
      deferredToolHandler: decideByRules([
        {
          tool: 'remove',
          args: (args) => seen.push(args) > 0,
          decision: (call, args) => seen.push(call.args, args) > 0,
        },
      ]),
    });

    expect(seen).toEqual([{ path: 'default' }, '{}', { path: 'default' }]);
    expect(removed).toEqual(['default']);
  });

  it('executes a call with edited arguments', async () => {
    const { agent, removed } = agentWith(calls('remove', { path: 'a' }));
    const decision = new ToolApproved({ overrideArgs: { path: 'b' } });

    await agent.run('Go.', { deferredToolHandler: decideByRules([{ tool: 'remove', decision }]) });

    expect(removed).toEqual(['b']);
  });

  it.each<[DecisionRule['decision'], object]>([
    ['image', { content: 'image', outcome: 'success' }],
    [null, { content: null, outcome: 'success' }],
    [new ToolReturn({ returnValue: true }), { content: true, outcome: 'success' }],
    [new ToolFailed('Down.'), { content: 'Down.', outcome: 'failed' }],
    [new ModelRetry('Again.'), { kind: 'retry-prompt', content: 'Again.' }],
    [async (call) => `image of ${call.toolName}`, { content: 'image of render' }],
  ])('supplies the results of external calls: %#', async (decision, part) => {
    const { agent } = agentWith(calls('render'));

    const result = await agent.run('Go.', {
      deferredToolHandler: decideByRules([{ tool: 'render', decision }]),
    });

    expect(result.messages.at(-2)?.parts).toMatchObject([part]);
  });

  it('decides calls one after the other, with the context of the run', async () => {
    const log: string[] = [];
    const remove = tool({
      name: 'remove',
      requiresApproval: true,
      execute: (_, ctx: RunContext<{ user: string }>) => ctx.deps.user,
    });
    const agent = new Agent({
      model: scriptedModel(responds(calls('remove'), calls('remove')), says('Done.')),
      tools: [remove],
    });
    const handler = decideByRules<{ user: string }>([
      {
        tool: 'remove',
        decision: async (call, _, ctx) => {
          log.push(`ask ${ctx.deps.user} about ${call.toolCallId}`);
          await Promise.resolve();
          log.push('decided');
          return true;
        },
      },
    ]);

    await agent.run('Go.', { deps: { user: 'ada' }, deferredToolHandler: handler });

    expect(log).toEqual(['ask ada about call-1', 'decided', 'ask ada about call-2', 'decided']);
  });
});

describe('a call that no rule matches', () => {
  const rules = [{ tool: 'remove', args: isDraft, decision: true }];
  const response = responds(
    calls('remove', { path: '/drafts/a' }),
    calls('remove', { path: '/etc/b' }),
  );

  it('is not approved: the handler must decide it', async () => {
    const { agent, removed } = agentWith(response);

    await expect(agent.run('Go.', { deferredToolHandler: decideByRules(rules) })).rejects.toThrow(
      "returned no decision or result for 'call-2' (remove). No pending call was executed.",
    );
    await expect(
      agentWith(response).agent.run('Go.', { deferredToolHandler: decideByRules([]) }),
    ).rejects.toThrow("for 'call-1' (remove), 'call-2' (remove). No pending call was executed.");
    expect(removed).toEqual([]);
  });

  it('stays pending with a capability', async () => {
    const { agent, removed } = agentWith(response);

    const result = await agent.run('Go.', {
      capabilities: [handleDeferredToolCalls(decideByRules(rules))],
    });

    expect(removed).toEqual(['/drafts/a']);
    expect(result).toMatchObject({
      status: 'parked',
      output: { approvals: [{ toolCallId: 'call-2' }] },
    });
  });

  it('is left to the next handler', async () => {
    const { agent, removed } = agentWith(response);

    await agent.run('Go.', {
      deferredToolHandler: chainHandlers(decideByRules(rules), approveAll()),
    });

    expect(removed).toEqual(['/drafts/a', '/etc/b']);
  });
});

describe('a rule with a decision of the wrong kind', () => {
  const everything = () => true;

  it.each<[string, DecisionRule['decision']]>([
    ['true', true],
    ['false', false],
    ['an approval', new ToolApproved()],
    ['a denial', new ToolDenied()],
    ['a function that approves', () => true],
  ])('is rejected for an external call: %s', async (_, decision) => {
    const { agent, removed } = agentWith(
      responds(calls('remove'), calls('render', {}, { id: 'x' })),
    );

    const run = agent.run('Go.', {
      deferredToolHandler: chainHandlers(decideByRules([{ tool: everything, decision }])),
    });

    await expect(run).rejects.toThrow(UserError);
    await expect(run).rejects.toThrow(
      'Tool call `x` (render) is external, but the `decision` of its rule is an approval or a denial. ' +
        'Pass the result. Wrap a result that is true or false in a `ToolReturn`.',
    );
    expect(removed).toEqual([]);
  });

  it.each<[string, DecisionRule['decision'], string]>([
    ['a text', 'yes', 'a result'],
    ['null', null, 'a result'],
    ['a tool return', new ToolReturn({ returnValue: true }), 'a result'],
    ['a look-alike', { kind: 'approve' }, 'a result'],
    ['a function that returns a text', async () => 'yes', 'a result'],
    ['a function that returns nothing', untyped(() => {}), 'missing'],
  ])('is rejected for a call that needs approval: %s', async (_, decision, found) => {
    const { agent, removed } = agentWith(calls('remove', {}, { id: 'r' }));

    const run = agent.run('Go.', {
      deferredToolHandler: decideByRules([{ tool: 'remove', decision }]),
    });

    await expect(run).rejects.toThrow(
      `Tool call \`r\` (remove) needs approval, but the \`decision\` of its rule is ${found}. ` +
        'Pass true, false, `ToolApproved`, `ToolDenied`, `ModelRetry`, `ToolExpired` or `ToolSuperseded`.',
    );
    expect(removed).toEqual([]);
  });

  it('is rejected before a function of a rule is called', async () => {
    const { agent } = agentWith(responds(calls('remove'), calls('render')));
    let callCount = 0;

    const run = agent.run('Go.', {
      deferredToolHandler: decideByRules([
        { tool: 'remove', decision: () => ++callCount > 0 },
        { tool: 'render', decision: true },
      ]),
    });

    await expect(run).rejects.toThrow('is external');
    expect(callCount).toBe(0);
  });
});

describe('a rule that fails', () => {
  const broken = new Error('No connection.');
  const fail = () => {
    throw broken;
  };

  it.each<[string, DecisionRule]>([
    ['while it picks tools', { tool: fail, decision: true }],
    ['while it reads arguments', { tool: 'remove', args: fail, decision: true }],
    ['while it decides', { tool: 'remove', decision: fail }],
    ['while it decides asynchronously', { tool: 'remove', decision: () => Promise.reject(broken) }],
  ])('ends the run %s', async (_, rule) => {
    const { agent, removed } = agentWith(calls('remove', { path: 'a' }));
    const rules = [rule, { tool: 'remove', decision: true }];

    const run = agent.run('Go.', { deferredToolHandler: decideByRules(rules) });

    await expect(run).rejects.toBe(broken);
    expect(removed).toEqual([]);
  });

  it.each<[string, object]>([
    ['tool is async', { tool: async () => false, decision: true }],
    ['args are async', { tool: 'remove', args: async () => false, decision: true }],
    ['args return another value', { tool: 'remove', args: () => 'no', decision: true }],
  ])('matches nothing by accident: its %s', async (_, rule) => {
    const { agent, removed } = agentWith(calls('remove', { path: 'a' }));

    const run = agent.run('Go.', { deferredToolHandler: decideByRules([rule as DecisionRule]) });

    await expect(run).rejects.toThrow('returned neither true nor false');
    expect(removed).toEqual([]);
  });

  it.each<[object, string]>([
    [{ decision: true }, 'The `tool` of rule 1 is neither a name, a list of names nor a function.'],
    [{ tool: [/x/], decision: true }, 'The `tool` of rule 1 is neither'],
    [{ tool: 'a', args: { path: 'b' }, decision: true }, 'The `args` of rule 1 are not a function'],
    [{ tool: 'a', args: undefined, decision: true }, 'leave `args` out to match all of them'],
    [{ tool: 'a' }, 'Rule 1 has no `decision`.'],
  ])('is rejected when it is passed: %#', (rule, message) => {
    const rules = [{ tool: 'a', decision: true }, rule as DecisionRule];

    expect(() => decideByRules(rules)).toThrow(UserError);
    expect(() => decideByRules(rules)).toThrow(message);
  });
});

function removeTool(removed: unknown[]) {
  return tool({
    name: 'remove',
    inputSchema: z.object({ path: z.string().default('default') }),
    requiresApproval: true,
    execute({ path }) {
      removed.push(path);
      return 'removed';
    },
  });
}

function agentWith(...script: ResponseDraft[]) {
  const removed: unknown[] = [];
  const agent = new Agent({
    model: scriptedModel(...script, says('Done.')),
    tools: [removeTool(removed)],
    toolsets: [new ExternalToolset([{ name: 'render' }])],
    output: [String, DeferredToolRequests],
  });
  return { agent, removed };
}
