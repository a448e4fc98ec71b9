import {
  approveAll,
  type Capability,
  MemoryLedger,
  messageCodec,
  type Tool,
  tool,
} from 'holdpoint';
import { calls, responds } from 'holdpoint/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { canonicalJson } from '../../../src/internal/canonical-json.ts';
import { sha256 } from '../../../src/internal/sha-256.ts';
import { callDigest, schemaHash } from '../../../src/ledger/digest.ts';
import { expectParked } from '../../support/deferral.ts';
import { recordOf } from '../../support/histories.ts';
import { subAgent } from '../../support/sub-agents.ts';
import { files, probeAgent, stored } from './probe.ts';

// The functions are unchanged; the spies only count their calls.
vi.mock('../../../src/internal/canonical-json.ts', { spy: true });
vi.mock('../../../src/ledger/digest.ts', { spy: true });
vi.mock('../../../src/ledger/digest.ts', { spy: true });
vi.mock('../../../src/internal/sha-256.ts', { spy: true });

const counted = {
  canonicalJson: vi.mocked(canonicalJson),
  callDigest: vi.mocked(callDigest),
  schemaHash: vi.mocked(schemaHash),
  sha256: vi.mocked(sha256),
};

beforeEach(() => {
  for (const spy of Object.values(counted)) spy.mockClear();
});

/** The number of calls of each function. */
const computed = () =>
  Object.fromEntries(Object.entries(counted).map(([name, spy]) => [name, spy.mock.calls.length]));
const NOTHING = { canonicalJson: 0, callDigest: 0, schemaHash: 0, sha256: 0 };

const BATCH = responds(
  calls('delete_file', { path: 'a' }, { id: 'a' }),
  calls('read_file', { path: 'b' }, { id: 'b' }),
  calls('delete_file', { path: 'c' }, { id: 'c' }),
);

/** Parks and resumes a run, with everything approved. */
async function roundTrip(options: Parameters<typeof probeAgent>[1]) {
  const agent = probeAgent([BATCH], { tools: files().tools, ...options });
  const parked = await expectParked(agent.run('Go.'));
  await agent.resume(stored(parked.messages), parked.output.buildResults({ approveAll: true }));
  return parked;
}

describe('without a ledger and without digests, nothing is computed', () => {
  it('in a run that parks and is resumed', async () => {
    await roundTrip({});

    expect(computed()).toEqual(NOTHING);
  });

  it('in a run with an inline handler', async () => {
    const { done, tools } = files();
    const agent = probeAgent([BATCH], { tools });

    await agent.run('Go.', { deferredToolHandler: approveAll() });

    expect(done).toHaveLength(3);
    expect(computed()).toEqual(NOTHING);
  });

  it('in a run that parks in a sub-agent', async () => {
    const { done, tools } = files();
    const sub = subAgent([BATCH], { tools });
    const agent = probeAgent([calls('sub', { prompt: 'Go.' }, { id: 's' })], {
      tools: [sub.asTool()],
    });
    const parked = await expectParked(agent.run('Go.'));

    await agent.resume(stored(parked.messages), parked.output.buildResults({ approveAll: true }));

    expect(done).toHaveLength(3);
    expect(computed()).toEqual(NOTHING);
  });

  it('in a run with hooks around calls that leave the arguments alone', async () => {
    const watching: Capability = {
      name: 'watching',
      wrapToolValidation: async ({ args }, next) => void (await next(args)),
      wrapToolExecution: (_call, next) => next(),
    };

    await roundTrip({ capabilities: [watching] });

    expect(computed()).toEqual(NOTHING);
  });

  it('and no details of pending calls are recorded', async () => {
    const parked = await roundTrip({});

    expect(recordOf(parked.messages[1])?.open).toEqual({
      a: { kind: 'approval' },
      c: { kind: 'approval' },
    });
    expect(parked.output.details).toEqual({});
  });
});

describe('with a ledger or digests, the computation is observed', () => {
  it('in a run with digests', async () => {
    await roundTrip({ durability: { digests: true } });

    expect(computed()).toMatchObject({ callDigest: 4, schemaHash: expect.any(Number) });
    expect(computed()).not.toMatchObject({ sha256: 0 });
  });

  it('in a run with a ledger', async () => {
    await roundTrip({ durability: { ledger: new MemoryLedger() } });

    expect(computed()).not.toMatchObject({ sha256: 0 });
  });
});

describe('the stored state', () => {
  /** Five calls to three tools, all of which need approval. */
  const shop = () => {
    const made = (name: string, inputSchema: z.ZodObject): Tool =>
      tool({ name, inputSchema, requiresApproval: true, execute: () => 'done' }) as Tool;
    const tools = [
      made('get_weather', z.object({ city: z.string(), units: z.enum(['c', 'f']) })),
      made('add_numbers', z.object({ a: z.number(), b: z.number() })),
      made('lookup_order', z.object({ orderId: z.string(), fields: z.array(z.string()) })),
    ];
    const script = responds(
      calls('get_weather', '{"city":"City 0","units":"c"}', { id: 'c0_0' }),
      calls('add_numbers', '{"a":1,"b":2}', { id: 'c0_1' }),
      calls('lookup_order', '{"orderId":"ord-2","fields":["status","total"]}', { id: 'c0_2' }),
      calls('get_weather', '{"city":"City 3","units":"c"}', { id: 'c0_3' }),
      calls('add_numbers', '{"a":4,"b":5}', { id: 'c0_4' }),
    );
    return { tools, script };
  };
  const sizeWith = async (options: Parameters<typeof probeAgent>[1]) => {
    const { tools, script } = shop();
    const { messages } = await expectParked(probeAgent([script], { tools, ...options }).run('Go.'));
    return messageCodec.stringify(messages).length;
  };

  it('of five pending calls has at most 1,300 bytes', async () => {
    expect(await sizeWith({})).toBeLessThanOrEqual(1300);
  });

  it('grows only with the requested details', async () => {
    const plain = await sizeWith({});

    expect(await sizeWith({ durability: { onDrift: 'deny' }, reportEditedArgs: true })).toBe(plain);
    // Two hashes of 64 digits for each call.
    expect(await sizeWith({ durability: { digests: true } })).toBeGreaterThan(plain + 5 * 128);
  });
});
