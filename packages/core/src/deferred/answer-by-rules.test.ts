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
import { type AnswerRule, answerByRules } from './answer-by-rules.ts';
import { ToolApproved, ToolDenied } from './answers.ts';
import { approveAll, chainHandlers } from './handlers.ts';
import { DeferredToolRequests } from './requests.ts';

const isDraft = (args: unknown) => (args as { path: string }).path.startsWith('/drafts/');

describe('answerByRules', () => {
  it('answers by the first rule that matches', async () => {
    const { agent, removed } = agentWith(
      responds(calls('remove', { path: '/drafts/a' }), calls('remove', { path: '/etc/b' })),
    );

    const result = await agent.run('Tidy up.', {
      deferredToolHandler: answerByRules([
        { tool: 'remove', args: isDraft, answer: true },
        { tool: 'remove', answer: new ToolDenied('Only drafts.') },
        { tool: 'remove', answer: true },
      ]),
    });

    expect(removed).toEqual(['/drafts/a']);
    expect(result.messages.at(-2)?.parts).toMatchObject([
      { content: 'removed', outcome: 'success' },
      { content: 'Only drafts.', outcome: 'denied' },
    ]);
  });

  it.each<[string, AnswerRule['tool']]>([
    ['its name', 'remove'],
    ['a list of names', ['render', 'remove']],
    ['a function', (call) => call.toolName.startsWith('rem')],
    ['the tool itself', (call) => removeTool([]).matches(call)],
  ])('picks a tool by %s', async (_, selector) => {
    const { agent, removed } = agentWith(calls('remove', { path: 'a' }));

    await agent.run('Go.', {
      deferredToolHandler: answerByRules([{ tool: selector, answer: true }]),
    });

    expect(removed).toEqual(['a']);
  });

  it('shows rules the arguments as the tool will get them', async () => {
    const { agent, removed } = agentWith(calls('remove', '{}'));
    const seen: unknown[] = [];

    await agent.run('Go.', {
      deferredToolHandler: answerByRules([
        {
          tool: 'remove',
          args: (args) => seen.push(args) > 0,
          answer: (call, args) => seen.push(call.args, args) > 0,
        },
      ]),
    });

    expect(seen).toEqual([{ path: 'default' }, '{}', { path: 'default' }]);
    expect(removed).toEqual(['default']);
  });

  it('may run a call with other arguments', async () => {
    const { agent, removed } = agentWith(calls('remove', { path: 'a' }));
    const answer = new ToolApproved({ overrideArgs: { path: 'b' } });

    await agent.run('Go.', { deferredToolHandler: answerByRules([{ tool: 'remove', answer }]) });

    expect(removed).toEqual(['b']);
  });

  it.each<[AnswerRule['answer'], object]>([
    ['image', { content: 'image', outcome: 'success' }],
    [null, { content: null, outcome: 'success' }],
    [new ToolReturn({ returnValue: true }), { content: true, outcome: 'success' }],
    [new ToolFailed('Down.'), { content: 'Down.', outcome: 'failed' }],
    [new ModelRetry('Again.'), { kind: 'retry-prompt', content: 'Again.' }],
    [async (call) => `image of ${call.toolName}`, { content: 'image of render' }],
  ])('gives results of calls that come from somewhere else: %#', async (answer, part) => {
    const { agent } = agentWith(calls('render'));

    const result = await agent.run('Go.', {
      deferredToolHandler: answerByRules([{ tool: 'render', answer }]),
    });

    expect(result.messages.at(-2)?.parts).toMatchObject([part]);
  });

  it('asks one after the other, with the context of the run', async () => {
    const asked: string[] = [];
    const remove = tool({
      name: 'remove',
      requiresApproval: true,
      execute: (_, ctx: RunContext<{ user: string }>) => ctx.deps.user,
    });
    const agent = new Agent({
      model: scriptedModel(responds(calls('remove'), calls('remove')), says('Done.')),
      tools: [remove],
    });
    const handler = answerByRules<{ user: string }>([
      {
        tool: 'remove',
        answer: async (call, _, ctx) => {
          asked.push(`ask ${ctx.deps.user} about ${call.toolCallId}`);
          await Promise.resolve();
          asked.push('answered');
          return true;
        },
      },
    ]);

    await agent.run('Go.', { deps: { user: 'ada' }, deferredToolHandler: handler });

    expect(asked).toEqual(['ask ada about call-1', 'answered', 'ask ada about call-2', 'answered']);
  });
});

describe('a call that no rule matches', () => {
  const rules = [{ tool: 'remove', args: isDraft, answer: true }];
  const response = responds(
    calls('remove', { path: '/drafts/a' }),
    calls('remove', { path: '/etc/b' }),
  );

  it('is not approved: a handler must answer it', async () => {
    const { agent, removed } = agentWith(response);

    await expect(agent.run('Go.', { deferredToolHandler: answerByRules(rules) })).rejects.toThrow(
      "returned no decision or result for 'call-2' (remove). No pending call was executed.",
    );
    await expect(
      agentWith(response).agent.run('Go.', { deferredToolHandler: answerByRules([]) }),
    ).rejects.toThrow("for 'call-1' (remove), 'call-2' (remove). No pending call was executed.");
    expect(removed).toEqual([]);
  });

  it('stays open as a capability', async () => {
    const { agent, removed } = agentWith(response);

    const result = await agent.run('Go.', {
      capabilities: [handleDeferredToolCalls(answerByRules(rules))],
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
      deferredToolHandler: chainHandlers(answerByRules(rules), approveAll()),
    });

    expect(removed).toEqual(['/drafts/a', '/etc/b']);
  });
});

describe('a rule with an answer of the wrong kind', () => {
  const everything = () => true;

  it.each<[string, AnswerRule['answer']]>([
    ['true', true],
    ['false', false],
    ['an approval', new ToolApproved()],
    ['a denial', new ToolDenied()],
    ['a function that approves', () => true],
  ])('is refused for an external call: %s', async (_, answer) => {
    const { agent, removed } = agentWith(
      responds(calls('remove'), calls('render', {}, { id: 'x' })),
    );

    const run = agent.run('Go.', {
      deferredToolHandler: chainHandlers(answerByRules([{ tool: everything, answer }])),
    });

    await expect(run).rejects.toThrow(UserError);
    await expect(run).rejects.toThrow(
      "Tool call 'x' (render) gets its result from somewhere else, but its rule answers with an " +
        'approval or a denial. Answer with the result; one that is true or false goes into a ToolReturn.',
    );
    expect(removed).toEqual([]);
  });

  it.each<[string, AnswerRule['answer'], string]>([
    ['a text', 'yes', 'a result'],
    ['null', null, 'a result'],
    ['a tool return', new ToolReturn({ returnValue: true }), 'a result'],
    ['a look-alike', { kind: 'approve' }, 'a result'],
    ['a function that says yes', async () => 'yes', 'a result'],
    ['a function that says nothing', untyped(() => {}), 'nothing'],
  ])('is refused for a call that waits for approval: %s', async (_, answer, found) => {
    const { agent, removed } = agentWith(calls('remove', {}, { id: 'r' }));

    const run = agent.run('Go.', {
      deferredToolHandler: answerByRules([{ tool: 'remove', answer }]),
    });

    await expect(run).rejects.toThrow(
      `Tool call 'r' (remove) waits for approval, but its rule answers with ${found}. ` +
        'Answer with true, false, ToolApproved, ToolDenied, ToolExpired or ToolSuperseded.',
    );
    expect(removed).toEqual([]);
  });

  it('is refused before anybody is asked', async () => {
    const { agent } = agentWith(responds(calls('remove'), calls('render')));
    let asked = 0;

    const run = agent.run('Go.', {
      deferredToolHandler: answerByRules([
        { tool: 'remove', answer: () => ++asked > 0 },
        { tool: 'render', answer: true },
      ]),
    });

    await expect(run).rejects.toThrow('gets its result from somewhere else');
    expect(asked).toBe(0);
  });
});

describe('a rule that fails', () => {
  const broken = new Error('No connection.');
  const fail = () => {
    throw broken;
  };

  it.each<[string, AnswerRule]>([
    ['while it picks tools', { tool: fail, answer: true }],
    ['while it looks at arguments', { tool: 'remove', args: fail, answer: true }],
    ['while it answers', { tool: 'remove', answer: fail }],
    ['while it answers later', { tool: 'remove', answer: () => Promise.reject(broken) }],
  ])('ends the run %s', async (_, rule) => {
    const { agent, removed } = agentWith(calls('remove', { path: 'a' }));
    const rules = [rule, { tool: 'remove', answer: true }];

    const run = agent.run('Go.', { deferredToolHandler: answerByRules(rules) });

    await expect(run).rejects.toBe(broken);
    expect(removed).toEqual([]);
  });

  it.each<[string, object]>([
    ['tool is async', { tool: async () => false, answer: true }],
    ['args are async', { tool: 'remove', args: async () => false, answer: true }],
    ['args say something else', { tool: 'remove', args: () => 'no', answer: true }],
  ])('matches nothing by accident: its %s', async (_, rule) => {
    const { agent, removed } = agentWith(calls('remove', { path: 'a' }));

    const run = agent.run('Go.', { deferredToolHandler: answerByRules([rule as AnswerRule]) });

    await expect(run).rejects.toThrow('gave something else than true or false');
    expect(removed).toEqual([]);
  });

  it.each<[object, string]>([
    [{ answer: true }, 'The tool of rule 1 is neither a name, a list of names nor a function.'],
    [{ tool: [/x/], answer: true }, 'The tool of rule 1 is neither'],
    [{ tool: 'a', args: { path: 'b' }, answer: true }, 'The args of rule 1 are not a function'],
    [{ tool: 'a' }, 'Rule 1 has no answer.'],
  ])('is refused when it is written: %#', (rule, message) => {
    const rules = [{ tool: 'a', answer: true }, rule as AnswerRule];

    expect(() => answerByRules(rules)).toThrow(UserError);
    expect(() => answerByRules(rules)).toThrow(message);
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
