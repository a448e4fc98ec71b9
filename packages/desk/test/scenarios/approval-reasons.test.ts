import { openDesk, type Store } from '@holdpoint/desk';
import { Agent, type RunContext, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { output } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { onlyHold } from '../support/people.ts';

interface Deps {
  readonly approvals: RunContext['approval'][];
}

const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string(), euros: z.number() }),
  requiresApproval: true,
  execute({ to, euros }, { approval, deps }: RunContext<Deps>) {
    deps.approvals.push(approval);
    return `${to} ${euros}`;
  },
});

const agent = new Agent({
  model: functionModel(({ messages }) =>
    messages.length === 1 ? calls('pay', { to: 'acme', euros: 10 }) : says('Done.'),
  ),
  tools: [pay],
  output,
});

const [ADA, GRACE] = [{ id: 'ada' }, { id: 'grace' }];

describe.each(STORES)('the reason of an approval at a desk %s', (_, open) => {
  async function parked(store: Store, count: number) {
    const deps: Deps = { approvals: [] };
    const desk = openDesk({
      store,
      agents: { payer: { agent, deps: () => deps } },
      approvers: { count },
    });
    const runId = await desk.start('payer', 'Go.');
    await desk.work({ runId });
    return { desk, runId, hold: await onlyHold(desk, runId), deps };
  }

  it('reaches the tool in `ctx.approval`', async () => {
    await using opened = await open();
    const { desk, runId, hold, deps } = await parked(opened.store, 1);
    const decision = { kind: 'approve', reason: 'Contract 7.' } as const;

    await desk.decide(hold.id, decision, { by: ADA, digest: hold.digest });
    await desk.work({ runId });

    expect(deps.approvals).toMatchObject([{ by: [ADA], reason: 'Contract 7.' }]);
  });

  it('is that of all approvers, and does not make another proposal of an edit', async () => {
    await using opened = await open();
    const { desk, runId, hold, deps } = await parked(opened.store, 2);
    const args = { to: 'acme', euros: 7 };
    const { shown } = await desk.previewEdit(hold.id, args);

    await desk.decide(
      hold.id,
      { kind: 'approve', reason: 'Void.' },
      { by: ADA, digest: hold.digest },
    );
    const edited = await desk.decide(
      hold.id,
      { kind: 'approve', args, reason: 'Too much.' },
      { by: ADA, digest: hold.digest, shown },
    );
    expect(edited).toMatchObject({
      state: 'open',
      proposal: { decision: { kind: 'approve', args } },
    });
    const decided = await desk.decide(
      hold.id,
      { kind: 'approve', args, reason: 'I agree.' },
      { by: GRACE, digest: edited.digest, shown },
    );

    expect(decided).toMatchObject({ state: 'decided', digest: edited.digest });
    await desk.work({ runId });
    expect(deps.approvals).toMatchObject([{ by: [ADA, GRACE], reason: 'Too much.\nI agree.' }]);
  });
});
