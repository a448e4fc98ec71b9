import { DatabaseSync, StatementSync } from 'node:sqlite';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('run on SQLite with one approval', () => {
  it('needs a fixed number of statements and commits', async () => {
    const desk = openDesk({
      store: await sqliteStore(),
      agents: { cashier: { agent: cashier() } },
    });
    const counted = countStatements();
    const phases: Record<string, readonly [statements: number, commits: number]> = {};
    for (let round = 0; round < 2; round++) {
      counted.take();
      const runId = await desk.start('cashier', 'Refund order 17', { requester: { id: 'ada' } });
      phases['start'] = counted.take();
      await desk.drain();
      phases['until parked'] = counted.take();
      const [hold] = (await desk.holds({ runId })).items;
      counted.take();
      await desk.decide(
        hold!.id,
        { kind: 'approve' },
        { by: { id: 'grace' }, digest: hold!.digest },
      );
      phases['decision'] = counted.take();
      await desk.drain();
      phases['until finished'] = counted.take();
      expect((await desk.run(runId)).state).toBe('finished');
    }

    // Each transaction reads the version of the database. The drains claim until no task is due. A claim without a task
    // has a commit without changes.
    expect(phases).toEqual({
      start: [9, 1],
      'until parked': [36, 5],
      decision: [9, 1],
      'until finished': [31, 5],
    });
    await desk.close();
  });
});

/** Counts the statements that have been executed, and the commits of transactions. */
function countStatements(): { take(): readonly [statements: number, commits: number] } {
  const all = vi.spyOn(StatementSync.prototype, 'all');
  const get = vi.spyOn(StatementSync.prototype, 'get');
  const run = vi.spyOn(StatementSync.prototype, 'run');
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  return {
    take() {
      const statements = [all, get, run].reduce((sum, spy) => sum + spy.mock.calls.length, 0);
      const commits = exec.mock.calls.filter(([text]) => text === 'commit').length;
      for (const spy of [all, get, run, exec]) spy.mockClear();
      return [statements, commits];
    },
  };
}

/** An agent that reads an order, and refunds it after an approval. */
function cashier(): Agent {
  const order = z.object({ order: z.string() });
  return new Agent({
    name: 'cashier',
    model: functionModel(({ messages }) => {
      const last = messages.at(-1)?.parts.at(-1);
      if (last?.kind !== 'user-prompt') return says('Done.');
      return responds(calls('lookup', { order: '17' }), calls('refund', { order: '17' }));
    }),
    tools: [
      tool({
        name: 'lookup',
        description: 'Looks an order up.',
        inputSchema: order,
        execute: () => 'It was delivered.',
      }),
      tool({
        name: 'refund',
        description: 'Gives money back.',
        inputSchema: order,
        requiresApproval: true,
        execute: () => 'Refunded.',
      }),
    ],
  });
}
