import { type DeskTelemetry, openDesk, type SettledHold } from '@holdpoint/desk';
import { deskOtel } from '@holdpoint/desk/otel';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { type OpenedStore, STORES } from '../support/opened-store.ts';

const by = { id: 'bo' };

function deskWith({ store }: OpenedStore, telemetry: DeskTelemetry) {
  const bank = newBank();
  const agents = { teller: { agent: teller, deps: () => bank } };
  return openDesk({ store, agents, telemetry, expiresAfter: 60_000, onError: () => {} });
}

describe.each(STORES)('the telemetry of a desk %s', (_, open) => {
  it('receives every hold once, however it ended', async () => {
    await using opened = await open();
    const settled: SettledHold[] = [];
    const desk = deskWith(opened, {
      holdSettled: (one) => settled.push(one),
      eventLogged() {},
      observe: () => () => {},
    });
    const park = async (prompt: string) => {
      const runId = await desk.start('teller', prompt, { conversationId: prompt });
      await desk.work({ runId });
      return { runId, hold: (await desk.holds()).items.find((one) => one.runId === runId) };
    };

    for (const kind of ['approve', 'deny'] as const) {
      const { hold } = await park(`pay ${kind}`);
      await desk.decide(hold?.id ?? '', { kind }, { by, digest: hold?.digest ?? '' });
    }
    await desk.cancel((await park('pay cancelled')).runId, { by });
    await park('pay superseded');
    await desk.message('pay superseded', 'Stop.', { onOpenHolds: 'supersede' });
    const { runId } = await park('pay expired');
    opened.clock.advance(100_000);
    await desk.work({ runId });

    expect(settled.map(({ outcome }) => outcome)).toEqual([
      'approved',
      'denied',
      'cancelled',
      'superseded',
      'expired',
    ]);
  });
});

describe('the metrics of a desk', () => {
  it('are queue depth, open holds, their ages, decision latency, events and pool use', async () => {
    await using opened = await (STORES[0] as (typeof STORES)[number])[1]();
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e6 });
    const provider = new MeterProvider({ readers: [reader] });
    const pool = { totalCount: 5, idleCount: 3, waitingCount: 1 };
    const meter = provider.getMeter('test');
    const desk = deskWith(opened, await deskOtel({ meter, pool, readEveryMs: 0 }));
    const decided = await desk.start('teller', 'pay ada');
    await desk.start('teller', 'pay bo');
    await desk.drain();
    const hold = (await desk.holds()).items.find(({ runId }) => runId === decided);
    opened.clock.advance(30_000);
    await desk.decide(hold?.id ?? '', { kind: 'approve' }, { by, digest: hold?.digest ?? '' });
    opened.clock.advance(10_000);

    await reader.forceFlush();

    const points = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics)
      .flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => [
          [descriptor.name, ...Object.values(attributes)].join(' '),
          typeof value === 'object' && 'sum' in value ? value.sum : value,
        ]),
      );
    expect(Object.fromEntries(points)).toEqual({
      'holdpoint.hold.duration pay approved': 30,
      'holdpoint.queue.depth run': 1,
      'holdpoint.queue.age run': 10,
      'holdpoint.holds.open': 1,
      'holdpoint.holds.age': 40,
      'holdpoint.runs.stuck': 0,
      'holdpoint.dead_letters': 0,
      'holdpoint.pool.connections used': 2,
      'holdpoint.pool.connections idle': 3,
      'holdpoint.pool.connections waiting': 1,
    });
    await desk.close();
    await provider.shutdown();
  });
});
