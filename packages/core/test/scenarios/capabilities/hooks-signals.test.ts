import {
  ApprovalRequired,
  CallDeferred,
  type Capability,
  ModelRetry,
  ToolFailed,
  tool,
} from 'holdpoint';
import type { CapabilityHooks } from 'holdpoint/capabilities';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith, capability, oneCall } from '../../support/capabilities.ts';
import { expectParked, workshop } from '../../support/deferral.ts';
import { resultsIn } from '../../support/toolsets.ts';

type Around = NonNullable<CapabilityHooks['wrapToolExecution']>;

const executing = (wrapToolExecution: Around): Capability => capability({ wrapToolExecution });

describe('signals of a tool', () => {
  const passing = executing((_call, next) => next());

  it.each(['thrown by the tool', 'thrown by a hook'])('pass through hooks: %s', async (who) => {
    const thrown: Record<string, Error> = {
      retry: new ModelRetry('Again.'),
      failed: new ToolFailed('Closed.'),
      approval: new ApprovalRequired({ why: 'a' }),
      external: new CallDeferred({ why: 'b' }),
    };
    const throwing = ({ toolName }: { toolName: string | undefined }) => {
      throw thrown[toolName ?? ''];
    };
    const byTool = who === 'thrown by the tool';
    const inner = byTool ? passing : executing((_call, _next, ctx) => throwing(ctx));
    const tools = Object.keys(thrown).map((name) =>
      tool({ name, execute: (_args, ctx) => (byTool ? throwing(ctx) : 'ran') }),
    );
    const { agent } = agentWith([passing, inner], {
      tools,
      script: [responds(...Object.keys(thrown).map((name) => calls(name, {}, { id: name })))],
    });

    const { output, messages } = await expectParked(agent.run('Go.'));

    expect(output.approvals).toMatchObject([{ toolCallId: 'approval' }]);
    expect(output.calls).toMatchObject([{ toolCallId: 'external' }]);
    expect(output.metadata).toEqual({ approval: { why: 'a' }, external: { why: 'b' } });
    expect(messages.at(-1)?.parts).toMatchObject([
      { kind: 'retry-prompt', content: 'Again.' },
      { kind: 'tool-return', content: 'Closed.', outcome: 'failed' },
    ]);
  });

  it('that a hook blocks have no effect, and the tool does not execute', async () => {
    const shop = workshop();
    const swallowing = executing((_call, next) => next().catch(() => 'Never mind.'));
    const { agent } = agentWith([swallowing], { tools: [shop.move], script: oneCall('move') });

    const { status, messages } = await agent.run('Go.');

    expect(status).toBe('finished');
    expect(resultsIn(messages)).toEqual(['Never mind.']);
    expect(shop.ran()).toEqual([]);
  });

  it('of a hook that requires approval before the tool executes defer the call, which then executes once', async () => {
    const shop = workshop();
    const asking = executing((_call, next, ctx) => {
      if (!ctx.toolCallApproved) throw new ApprovalRequired();
      return next();
    });
    const { agent } = agentWith([asking], { tools: [shop.read], script: oneCall('read') });

    const parked = await expectParked(agent.run('Go.'));
    expect(shop.ran()).toEqual([]);
    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(shop.ran()).toEqual(['read a']);
  });

  it('of a parked sub-agent pass, and its run resumes', async () => {
    const shop = workshop();
    const { agent: sub } = agentWith([], {
      name: 'sub',
      tools: [shop.remove],
      script: [calls('remove', { path: 'a' }), says('Removed.')],
    });
    const { agent } = agentWith([passing, passing], {
      tools: [sub.asTool()],
      script: [calls('sub', { prompt: 'Go.' }), says('Done.')],
    });

    const parked = await expectParked(agent.run('Go.'));
    const { messages } = await agent.resume(
      parked,
      parked.output.buildResults({ approveAll: true }),
    );

    expect(shop.ran()).toEqual(['remove a']);
    expect(resultsIn(messages)).toEqual(['Removed.']);
  });
});
