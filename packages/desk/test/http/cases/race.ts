import { expect, it } from 'vitest';
import type { OpenHttpStore } from '../support/http-store.ts';
import { siteOn, startedRun } from '../support/site.ts';

/** What becomes of answers that come at once, on whichever store. */
export function raceCases(open: OpenHttpStore): void {
  it('is the first of many that come at once, of which the others are told', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    for (let round = 0; round < 5; round++) {
      const runId = await startedRun(site, `pay round${round}`);
      const { body } = await site.ask('acme/ada', 'GET', `/holds?runId=${runId}`);
      const [{ id, digest }] = body.items;

      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          site.ask(`acme/person-${index}`, 'POST', `/holds/${id}/answer`, {
            digest,
            answer: index % 2 === 0 ? { kind: 'approve' } : { kind: 'deny' },
          }),
        ),
      );

      const winners = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
      expect(winners).toHaveLength(1);
      const [winner = 0] = winners;
      const kind = winner % 2 === 0 ? 'approve' : 'deny';
      for (const [index, answer] of answers.entries()) {
        if (index === winner) continue;
        expect(answer).toMatchObject({
          status: 409,
          body: {
            error: { code: 'hold-settled', firstAnswer: { by: { id: `person-${winner}` }, kind } },
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
