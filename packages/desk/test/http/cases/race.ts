import { expect, it } from 'vitest';
import type { OpenHttpStore } from '../support/http-store.ts';
import { siteOn, startedRun } from '../support/site.ts';

/** Concurrent decisions, on any store. */
export function raceCases(open: OpenHttpStore): void {
  it('record the first one, and return it to the others', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    for (let round = 0; round < 5; round++) {
      const runId = await startedRun(site, `pay round${round}`);
      const { body } = await site.ask('acme/ada', 'GET', `/v1/holds?runId=${runId}`);
      const [{ id, digest }] = body.items;

      const decisions = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          site.ask(`acme/person-${index}`, 'POST', `/v1/holds/${id}/decision`, {
            digest,
            decision: index % 2 === 0 ? { kind: 'approve' } : { kind: 'deny' },
          }),
        ),
      );

      const winners = decisions.flatMap(({ status }, index) => (status === 200 ? [index] : []));
      expect(winners).toHaveLength(1);
      const [winner = 0] = winners;
      const kind = winner % 2 === 0 ? 'approve' : 'deny';
      for (const [index, decision] of decisions.entries()) {
        if (index === winner) continue;
        expect(decision).toMatchObject({
          status: 409,
          body: {
            code: 'hold-settled',
            firstDecision: { by: { id: `person-${winner}` }, kind },
          },
        });
      }
      const desk = site.desk.forTenant('acme');
      await Promise.all([desk.work({ runId }), desk.work({ runId }), desk.work({ runId })]);
      expect((await desk.run(runId)).state).toBe('finished');
      const paid = site.bank.paid.filter(({ to }) => to === `round${round}`);
      expect(paid).toHaveLength(kind === 'approve' ? 1 : 0);
    }
  });
}
