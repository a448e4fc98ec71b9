import {
  ApprovalRequired,
  CallDeferred,
  type Capability,
  ModelRetry,
  ToolFailed,
  tool,
} from 'holdpoint';
import { prefixTools } from 'holdpoint/capabilities';
import { calls, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentWith, capability } from '../../support/capabilities.ts';
import { expectParked } from '../../support/deferral.ts';
import {
  guardedBy,
  gates,
  swallow,
  opened,
  replacing,
  script,
} from '../../support/guarded-calls.ts';

describe('a capability that requires approval', () => {
  const asking = capability({
    async wrapToolValidation({ args }, next, ctx) {
      await next(args);
      if (!ctx.toolCallApproved) throw new ApprovalRequired();
    },
  });
  const hasty = capability({
    async wrapToolValidation(_call, next, ctx) {
      if (!ctx.toolCallApproved) throw new ApprovalRequired();
      await next({ path: 'a' });
    },
  });
  const swallowing = capability({
    async wrapToolValidation({ args }, next) {
      await next(args).catch(swallow);
    },
  });

  it.each([
    ['after next, inside', [swallowing, asking]],
    ['after next, outside', [asking, swallowing]],
    ['before next, inside', [swallowing, hasty]],
    ['before next, outside', [hasty, swallowing]],
  ])('is not overruled by another that swallows errors: %s', async (_where, capabilities) => {
    const ran: string[] = [];
    const { agent } = agentWith(capabilities, {
      tools: [guardedBy(ran)],
      script: script(),
    });

    await agent.run('Go.').catch(swallow);

    expect(ran).toEqual([]);
  });
});

describe('a capability that rejects a call', () => {
  const swallowing = capability({
    async wrapToolValidation({ args }, next) {
      await next(args).catch(swallow);
    },
  });

  it.each([
    ['ModelRetry', new ModelRetry('No.')],
    ['ToolFailed', new ToolFailed('No.')],
    ['CallDeferred', new CallDeferred()],
    ['an error', new Error('The rules are lost.')],
  ])('with %s is not overruled by another that swallows errors', async (_what, error) => {
    const ran: string[] = [];
    const rejecting = capability({
      async wrapToolValidation({ args }, next) {
        await next(args);
        throw error;
      },
    });
    const { agent } = agentWith([swallowing, rejecting], {
      tools: [guardedBy(ran)],
      script: script(),
    });

    await agent.run('Go.').catch(swallow);

    expect(ran).toEqual([]);
  });
});

describe('tools that a capability wrapped by hand', () => {
  const careless = replacing((one) => ({
    definition: opened(one.definition),
    executor: one.executor,
    maxRetries: one.maxRetries,
    check: (args) => one.check(args),
    validate: (args, ctx) => one.validate(args, ctx),
    needsApproval: () => false,
    execute: (permit, ctx) => one.execute(permit, ctx),
  }));

  it.each(gates)('are still guarded by %s', async (_gate, guarded) => {
    const ran: string[] = [];
    const { agent } = agentWith([capability(careless)], { ...guarded(ran), script: script() });

    await agent.run('Go.').catch(swallow);

    expect(ran).toEqual([]);
  });
});

describe('an approved call', () => {
  const Meeting = z.object({ when: z.string().transform((text) => new Date(text)) });

  it.each<[string, Omit<Capability, 'name'>]>([
    [
      'the execution',
      {
        wrapToolExecution({ args }, next) {
          (args as z.infer<typeof Meeting>).when.setUTCHours(0, 0, 0, 0);
          return next();
        },
      },
    ],
    [
      'the check',
      {
        async wrapToolValidation({ args }, next) {
          const validation = await next(args);
          if (validation.ok) (validation.args as z.infer<typeof Meeting>).when.setUTCFullYear(1999);
        },
      },
    ],
  ])('cannot be changed by a hook around %s, not even a date', async (_where, hooks) => {
    const ran: string[] = [];
    const meet = tool({
      name: 'meet',
      approversSee: 'input',
      inputSchema: Meeting,
      requiresApproval: true,
      execute: ({ when }) => {
        ran.push(when.toISOString());
      },
    });
    const { agent } = agentWith([capability(hooks)], {
      tools: [meet],
      script: [calls('meet', { when: '2030-01-01T12:00:00.000Z' }, { id: 'c' }), says('Done.')],
    });

    const parked = await expectParked(agent.run('Go.'));
    await agent.resume(parked, parked.output.buildResults({ approveAll: true })).catch(swallow);

    expect([[], ['2030-01-01T12:00:00.000Z']]).toContainEqual(ran);
  });

  it('is executed, even if a wrapper of the tool changes the permit', async () => {
    const ran: string[] = [];
    const forging = replacing((one) => ({
      definition: one.definition,
      executor: one.executor,
      maxRetries: one.maxRetries,
      check: (args) => one.check(args),
      validate: (args, ctx) => one.validate(args, ctx),
      needsApproval: (args, ctx) => one.needsApproval(args, ctx),
      execute: (permit, ctx) => {
        Object.defineProperty(permit, 'args', { value: { path: '/' } });
        return one.execute(permit, ctx);
      },
    }));
    const { agent } = agentWith([capability(forging)], {
      tools: [guardedBy(ran, { requiresApproval: true })],
      script: script(),
    });

    const parked = await expectParked(agent.run('Go.'));
    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(ran).toEqual(['a']);
  });
});

describe('tools of a capability with a prefix', () => {
  it('keep the policy of the agent, which sees the names that the model sees', async () => {
    const ran: string[] = [];
    const { agent } = agentWith([prefixTools('x', { name: 'files', tools: [guardedBy(ran)] })], {
      approvalPolicy: (_ctx, { name }) => name === 'x_guarded',
      script: [calls('x_guarded', { path: 'a' })],
    });

    await expectParked(agent.run('Go.'));

    expect(ran).toEqual([]);
  });
});
