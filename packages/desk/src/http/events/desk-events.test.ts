import { describe, expect, it } from 'vitest';
import { Desk } from '../../desk/desk.ts';
import { createDeskContext } from '../../desk/desk-context.ts';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { DeskEvents } from './desk-events.ts';

describe('event feed of a tenant', () => {
  it('is removed when the last stream of the tenant ends', async () => {
    const desk = new Desk('default', createDeskContext({ store: await sqliteStore(), agents: {} }));
    const events = new DeskEvents({
      perPerson: 10,
      perTenant: 10,
      heartbeatMs: 60_000,
      maxStreamMs: 60_000,
      pollMs: 60_000,
      onError: () => {},
    });
    const open = (tenant: string) =>
      events.open(
        {
          desk: desk.forTenant(tenant),
          caller: { tenant, person: { id: 'ada' } },
          mayRead: undefined,
        },
        undefined,
      );

    const streams = [await open('acme'), await open('acme'), await open('other')];
    expect(events.feedCount).toBe(2);
    await streams[0]!.cancel();
    expect(events.feedCount).toBe(2);
    await streams[1]!.cancel();
    expect(events.feedCount).toBe(1);
    await (await open('acme')).cancel();
    await streams[2]!.cancel();

    expect(events.feedCount).toBe(0);
  });
});
