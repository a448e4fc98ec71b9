import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { filesAgent } from './support/files-agent.ts';
import { siteOf } from './support/site.ts';

describe('a run that is parked in a file while every process is stopped', () => {
  it('is approved over HTTP, needs another approval after the tool changed, and executes once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-waiting-'));
    const path = join(folder, 'desk.sqlite');
    const did: string[] = [];
    const open = async (code: 'older' | 'newer') => {
      const store = await sqliteStore({ path });
      const agents = { files: { agent: filesAgent(code), deps: () => did } };
      const desk = openDesk({ store, agents });
      return { store, site: siteOf(desk, { notRequester: true }), desk: desk.forTenant('acme') };
    };
    try {
      // The first process: the requester starts a run, the run parks, the process ends.
      const first = await open('older');
      const start = { agent: 'files', prompt: 'Tidy up.' };
      const { id: runId } = (await first.site.ask('acme/ada', 'POST', '/v1/runs', start)).body;
      await first.desk.work({ runId });
      await first.store.close();

      // The second process has newer code: a program decides over HTTP, and the process ends before a call executes.
      const second = await open('newer');
      const policy = second.site.client('acme/policy');
      expect(await policy.run(runId)).toMatchObject({ state: 'parked', openHolds: 4 });
      for (const { id, digest, toolName } of (await policy.holds({ runId })).items) {
        const mayRun = toolName.startsWith('read_');
        const decision = mayRun
          ? ({ kind: 'approve' } as const)
          : ({ kind: 'deny', reason: 'Only reads.' } as const);
        await policy.decide(id, { digest, decision });
      }
      expect((await policy.run(runId)).state).toBe('ready');
      expect(did).toEqual([]);
      await second.store.close();

      // The third process resumes the run: the tool has drifted, so the approval does not apply.
      const third = await open('newer');
      expect((await third.desk.work({ runId })).state).toBe('parked');
      expect(did).toEqual([]);
      const grace = third.site.client('acme/grace');
      const again = (await grace.holds({ runId })).items;
      expect(again).toMatchObject([
        { toolName: 'read_file', drifted: true, validatedArgs: { path: 'a.txt', limit: 1_000 } },
        { toolName: 'read_file', drifted: true, validatedArgs: { path: 'c.txt', limit: 1_000 } },
      ]);
      const ada = third.site.client('acme/ada');
      const [one] = again;
      const own = ada.decide(one!.id, { digest: one!.digest, decision: { kind: 'approve' } });
      await expect(own).rejects.toMatchObject({ status: 403, code: 'may-not-decide' });
      for (const { id, digest } of again) {
        await grace.decide(id, { digest, decision: { kind: 'approve' } });
      }
      await third.store.close();

      // The fourth process executes the call.
      const fourth = await open('newer');
      await fourth.desk.drain();
      const done = await fourth.site.client('acme/ada').run(runId);
      expect(done).toMatchObject({
        state: 'finished',
        output:
          'Results: "Only reads." | "Only reads." | "contents of a.txt" | "contents of c.txt"',
      });
      expect(did).toEqual(['{"path":"a.txt","limit":1000}', '{"path":"c.txt","limit":1000}']);
      await fourth.store.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
