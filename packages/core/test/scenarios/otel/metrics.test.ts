import { Agent, ToolFailed, tool } from 'holdpoint';
import { otel } from 'holdpoint/otel';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import {
  AggregationTemporality,
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../../support/latch.ts';

describe('metrics of runs', () => {
  it('are histograms of durations with the outcome', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 });
    const meter = new MeterProvider({ readers: [reader] }).getMeter('test');
    const tools = [
      tool({ name: 'works', execute: () => 'ok' }),
      tool({
        name: 'fails',
        execute() {
          throw new ToolFailed('No.');
        },
      }),
    ];
    const agent = new Agent({ name: 'janitor', tools, capabilities: [otel({ meter })] });

    const model = scriptedModel(
      responds(calls('works'), calls('works'), calls('fails')),
      says('.'),
    );
    await agent.run('Go.', { model });
    await rejectionOf(agent.run('Go.', { model: scriptedModel(new Error('Down.')) }));

    await reader.forceFlush();
    const metrics = exporter.getMetrics()[0]?.scopeMetrics[0]?.metrics ?? [];
    const measured = metrics.map(({ descriptor, dataPoints }) => [
      descriptor.name,
      descriptor.unit,
      (dataPoints as DataPoint<Histogram>[]).map(({ attributes, value }) => [
        attributes,
        value.count,
      ]),
    ]);
    const run = (status: string) => ({
      'gen_ai.agent.name': 'janitor',
      'holdpoint.run.status': status,
    });
    const call = (name: string, outcome: string) => ({
      'gen_ai.tool.name': name,
      'holdpoint.tool.outcome': outcome,
    });
    expect(measured).toEqual(
      expect.arrayContaining([
        [
          'holdpoint.run.duration',
          's',
          [
            [run('finished'), 1],
            [run('failed'), 1],
          ],
        ],
        [
          'holdpoint.tool.duration',
          's',
          [
            [call('works', 'success'), 2],
            [call('fails', 'failed'), 1],
          ],
        ],
      ]),
    );
    await reader.shutdown();
  });
});
