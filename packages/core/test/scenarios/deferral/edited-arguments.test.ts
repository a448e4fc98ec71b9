import { Agent, DeferredToolRequests, ModelRetry, requestsCodec, tool } from 'holdpoint';
import type { CheckedEdit } from 'holdpoint/deferral';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';

/** A refund with a maximum amount and a preview. */
function refunds() {
  const paid: number[] = [];
  const refund = tool({
    name: 'refund',
    inputSchema: z.object({ euros: z.number() }),
    requiresApproval: true,
    argsValidator({ euros }) {
      if (euros > 100) throw new ModelRetry('Not more than 100.');
    },
    preview: ({ euros }) => `Pays ${euros} euros.`,
    execute({ euros }) {
      paid.push(euros);
      return 'paid';
    },
  });
  return { paid, refund };
}

const call = calls('refund', { euros: 40 }, { id: 'r' });

describe('validation of edited arguments', () => {
  it.each<[string, Parameters<DeferredToolRequests['checkEdit']>[1], CheckedEdit]>([
    ['fits', { euros: 30 }, { ok: true, args: { euros: 30 }, preview: 'Pays 30 euros.' }],
    [
      'does not fit the schema',
      { euros: 'thirty' },
      { ok: false, issues: [{ path: ['euros'], message: expect.any(String), input: 'thirty' }] },
    ],
    [
      'is not let through by the validator',
      { euros: 300 },
      { ok: false, issues: [{ path: [], message: 'Not more than 100.' }] },
    ],
  ])('%s: reports it, and executes nothing', async (_, args, expected) => {
    const { paid, refund } = refunds();
    const agent = new Agent({ model: scriptedModel(call, says('Done.')), tools: [refund] });
    const tried: (CheckedEdit | undefined)[] = [];

    await agent.run('Go.', {
      async deferredToolHandler(requests) {
        tried.push(await requests.checkEdit('r', args));
        expect(paid).toEqual([]);
        return requests.buildResults({ approvals: { r: false } });
      },
    });

    expect(tried).toEqual([expected]);
    expect(paid).toEqual([]);
  });

  it('applies to calls of sub-agents, with their own tools', async () => {
    const { refund } = refunds();
    const clerk = new Agent({ model: scriptedModel(call, says('Done.')), tools: [refund] });
    const model = scriptedModel(calls('clerk', { prompt: 'Go.' }, { id: 'c' }), says('Done.'));
    const lead = new Agent({ model, tools: [clerk.asTool({ name: 'clerk' })] });
    const tried: unknown[] = [];

    await lead.run('Go.', {
      async deferredToolHandler(requests) {
        tried.push(await requests.checkEdit('c/r', { euros: 30 }));
        tried.push(await requests.checkEdit('c/r', { euros: 300 }));
        return requests.buildResults({ approvals: { 'c/r': false } });
      },
    });

    expect(tried).toMatchObject([
      { ok: true, args: { euros: 30 }, preview: 'Pays 30 euros.' },
      { ok: false },
    ]);
  });

  it('is available for a parked run in the same process', async () => {
    const { refund } = refunds();
    const output = [String, DeferredToolRequests] as const;
    const agent = new Agent({ model: scriptedModel(call), tools: [refund], output });
    const parked = await expectParked(agent.run('Go.'));

    const elsewhere = requestsCodec.parse(requestsCodec.stringify(parked.output));

    expect(await parked.output.checkEdit('r', { euros: 1 })).toMatchObject({ ok: true });
    expect(await parked.output.checkEdit('nobody', { euros: 1 })).toBeUndefined();
    expect(await elsewhere.checkEdit('r', { euros: 1 })).toBeUndefined();
  });
});
