import { ExternalToolset, MemoryLedger, type Tool, tool, UserError } from 'holdpoint';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { type Guard, probeAgent, stored, unguarded, withDigests, withLedger } from './probe.ts';

/**
 * Two deployments: the old one parks a run, the new one resumes it. They share the result of
 * `options`.
 */
function deployments({ options }: Guard, onDrift?: 'ask' | 'deny') {
  const ran: string[] = [];
  const guards = options();
  const schema = z.object({ euros: z.number(), to: z.string().optional() });
  const payment = (more: Partial<Parameters<typeof tool>[0]> = {}) =>
    tool({
      name: 'pay',
      inputSchema: schema,
      requiresApproval: true,
      execute: () => void ran.push(String(more.version ?? 'paid')),
      ...more,
    } as Parameters<typeof tool>[0]) as Tool;
  const deployed = (...tools: readonly Tool[]) =>
    probeAgent([calls('pay', { euros: 5 }, { id: 'p' })], {
      tools,
      durability: { onDrift, ...guards.durability },
    });
  return { ran, payment, deployed };
}

const approveAll = { approveAll: true };

describe.each([unguarded, withDigests, withLedger])(
  'a tool of another version, $guard,',
  (guard) => {
    it('is requested again, with the reason', async () => {
      const { ran, payment, deployed } = deployments(guard);
      const [old, next] = [
        deployed(payment({ version: '1' })),
        deployed(payment({ version: '2' })),
      ];
      const parked = await expectParked(old.run('Go.'));

      const again = await expectParked(
        next.resume(stored(parked.messages), parked.output.buildResults(approveAll)),
      );

      expect(ran).toEqual([]);
      expect(again.output.get('p').details).toMatchObject({ drifted: true, version: '2' });
      await next.resume(stored(again.messages), again.output.buildResults(approveAll));
      expect(ran).toEqual(['2']);
    });

    it('is denied if the run is set to deny drift', async () => {
      const { ran, payment, deployed } = deployments(guard, 'deny');
      const parked = await expectParked(deployed(payment({ version: '1' })).run('Go.'));

      const { messages } = await deployed(payment({ version: '2' })).resume(
        stored(parked.messages),
        parked.output.buildResults(approveAll),
      );

      expect(ran).toEqual([]);
      expect(resultsIn(messages)).toEqual([
        expect.stringMatching(/not what its approver was shown/),
      ]);
    });

    it('executes in a deployment that still has the approved version', async () => {
      const { ran, payment, deployed } = deployments(guard);
      const parked = await expectParked(deployed(payment({ version: '1' })).run('Go.'));

      await deployed(payment({ version: '1' })).resume(
        stored(parked.messages),
        parked.output.buildResults(approveAll),
      );

      expect(ran).toEqual(['1']);
    });
  },
);

describe('a tool with another schema', () => {
  const limited = z.object({ euros: z.number().max(10), to: z.string().default('me') });

  it.each([withDigests, withLedger])('is requested again: $guard', async (guard) => {
    const { ran, payment, deployed } = deployments(guard);
    const parked = await expectParked(deployed(payment()).run('Go.'));

    const again = await expectParked(
      deployed(payment({ inputSchema: limited })).resume(
        stored(parked.messages),
        parked.output.buildResults(approveAll),
      ),
    );

    expect(ran).toEqual([]);
    expect(again.output.get('p').details).toMatchObject({ drifted: true });
  });

  it('is the same if only its description differs: $guard', async () => {
    const { ran, payment, deployed } = deployments(withDigests);
    const parked = await expectParked(deployed(payment()).run('Go.'));
    const described = z.object({
      euros: z.number().describe('How much.'),
      to: z.string().optional().describe('To whom.'),
    });

    await deployed(payment({ inputSchema: described, description: 'Pays.' })).resume(
      stored(parked.messages),
      parked.output.buildResults(approveAll),
    );

    expect(ran).toEqual(['paid']);
  });

  it('executes without digests if the validated arguments are those that were shown', async () => {
    const { ran, payment, deployed } = deployments(unguarded);
    const parked = await expectParked(deployed(payment()).run('Go.'));

    await deployed(payment({ inputSchema: z.object({ euros: z.number().max(10) }) })).resume(
      stored(parked.messages),
      parked.output.buildResults(approveAll),
    );

    expect(ran).toEqual(['paid']);
  });

  it('is requested again without digests if it adds an argument that was not shown', async () => {
    const { ran, payment, deployed } = deployments(unguarded);
    const parked = await expectParked(deployed(payment()).run('Go.'));

    const again = await expectParked(
      deployed(payment({ inputSchema: limited })).resume(
        stored(parked.messages),
        parked.output.buildResults(approveAll),
      ),
    );

    expect(ran).toEqual([]);
    expect(again.output.approvals).toHaveLength(1);
  });

  it('reports invalid arguments to the model if they no longer fit', async () => {
    const { ran, payment, deployed } = deployments(unguarded);
    const parked = await expectParked(deployed(payment()).run('Go.'));

    const { messages } = await deployed(
      payment({ inputSchema: z.object({ euros: z.number().max(1) }) }),
    ).resume(stored(parked.messages), parked.output.buildResults(approveAll));

    expect(ran).toEqual([]);
    expect(resultsIn(messages)).toEqual(['retry pay']);
  });
});

describe('a tool that the deployment no longer has', () => {
  it.each([unguarded, withLedger])(
    'is reported to the model, and the run continues: $guard',
    async (guard) => {
      const { payment, deployed } = deployments(guard);
      const parked = await expectParked(deployed(payment()).run('Go.'));

      const { status, messages } = await deployed().resume(
        stored(parked.messages),
        parked.output.buildResults(approveAll),
      );

      expect(status).toBe('finished');
      expect(resultsIn(messages)).toEqual(['retry pay']);
    },
  );

  it('that is now external is an error before anything executes', async () => {
    const { payment, deployed } = deployments(unguarded);
    const parked = await expectParked(deployed(payment()).run('Go.'));
    const elsewhere = probeAgent([], { toolsets: [new ExternalToolset([{ name: 'pay' }])] });

    const error = await rejectionOf(
      elsewhere.resume(stored(parked.messages), parked.output.buildResults(approveAll)),
    );

    expect(error).toBeInstanceOf(UserError);
  });
});

describe('an executed call', () => {
  it('returns its outcome to a deployment with another version of the tool', async () => {
    const { ran, payment, deployed } = deployments(withLedger);
    const [old, next] = [deployed(payment({ version: '1' })), deployed(payment({ version: '2' }))];
    const parked = await expectParked(old.run('Go.'));
    const approved = parked.output.buildResults(approveAll);
    await old.resume(stored(parked.messages), approved);

    const second = await next.resume(stored(parked.messages), approved, {
      durability: { onAlreadyResumed: 'replay' },
    });

    expect(second.status).toBe('finished');
    expect(ran).toEqual(['1']);
  });

  it('returns its outcome although its preview differs after the execution', async () => {
    const rows = new Set(['a']);
    const drop = tool({
      name: 'drop',
      requiresApproval: true,
      preview: () => `Drops ${rows.size} rows.`,
      execute: () => rows.clear(),
    });
    const agent = probeAgent([calls('drop', {}, { id: 'd' })], {
      tools: [drop],
      durability: { ledger: new MemoryLedger() },
    });
    const parked = await expectParked(agent.run('Go.'));
    const approved = parked.output.buildResults(approveAll);
    await agent.resume(parked, approved);

    const second = await agent.resume(parked, approved, {
      durability: { onAlreadyResumed: 'replay' },
    });

    expect(second.status).toBe('finished');
  });

  it('that was denied because of drift stays denied', async () => {
    const { ran, payment, deployed } = deployments(withLedger, 'deny');
    const [old, next] = [deployed(payment({ version: '1' })), deployed(payment({ version: '2' }))];
    const parked = await expectParked(old.run('Go.'));
    const approved = parked.output.buildResults(approveAll);
    await next.resume(stored(parked.messages), approved);

    await old.resume(stored(parked.messages), approved, {
      durability: { onAlreadyResumed: 'replay' },
    });

    expect(ran).toEqual([]);
  });
});
