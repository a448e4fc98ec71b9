import type * as OpenTelemetry from '@opentelemetry/api';
import type { Context, Meter, SpanContext, Tracer } from '@opentelemetry/api';
import { UserError } from 'holdpoint';
import { checkOptions } from '../model/check-keys.ts';
import type { DeskStats, DeskTelemetry, SettledHold } from '../telemetry/desk-telemetry.ts';

/** Options of {@link deskOtel}. */
export interface DeskOtelOptions {
  /** The tracer for the spans; by default the tracer `holdpoint` of the registered provider. */
  readonly tracer?: Tracer | undefined;
  /** The meter for the metrics; by default the meter `holdpoint` of the registered provider. */
  readonly meter?: Meter | undefined;
  /** The pool of the store, for metrics about its connections. */
  readonly pool?: ObservedPool | undefined;
  /** The shortest time between two reads of the database for metrics, in milliseconds; a minute by default. */
  readonly readEveryMs?: number | undefined;
}

/** The part of a `Pool` of the package `pg` that is observed. */
export interface ObservedPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

type Api = typeof OpenTelemetry;

const READ_EVERY_MS = 60_000;
/** From a second to a week. */
const BOUNDARIES = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, 259_200, 604_800];

/**
 * Records a span for every hold, from its opening to its end, and metrics of the desk. Requires the package
 * `@opentelemetry/api`. Your application registers the SDK and its exporters before it calls this function.
 *
 * @example
 * const desk = openDesk({ store, agents, telemetry: await deskOtel({ pool }) })
 */
export async function deskOtel(options: DeskOtelOptions = {}): Promise<DeskTelemetry> {
  checkOptions<DeskOtelOptions>('`deskOtel`', options, {
    tracer: true,
    meter: true,
    pool: true,
    readEveryMs: true,
  });
  const api = await loadApi();
  const tracer = options.tracer ?? api.trace.getTracer('holdpoint');
  const meter = options.meter ?? api.metrics.getMeter('holdpoint');
  const duration = meter.createHistogram('holdpoint.hold.duration', {
    description: 'The time from the opening of a hold to its end.',
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  const events = meter.createCounter('holdpoint.desk.events', {
    description: 'Events of the desk, such as lease-lost and run-stuck.',
  });
  const safely = (work: () => void) => {
    try {
      work();
    } catch (error) {
      api.diag.error('holdpoint: a measurement could not be recorded.', error);
    }
  };
  return {
    holdSettled: (settled) =>
      safely(() => {
        recordHold(api, tracer, settled);
        const { hold, outcome } = settled;
        duration.record(((hold.settledAt ?? hold.createdAt) - hold.createdAt) / 1_000, {
          'gen_ai.tool.name': hold.toolName,
          'holdpoint.hold.outcome': outcome,
        });
      }),
    eventLogged: (event) => safely(() => events.add(1, { 'holdpoint.event': event })),
    observe: (readStats) => observe(meter, options, cached(readStats, options.readEveryMs)),
  };
}

/** Records the wait as a span in the trace of the run that parked, so that the trace shows it. */
function recordHold(api: Api, tracer: Tracer, { hold, outcome, traceparent }: SettledHold): void {
  const parked = parseTraceparent(traceparent);
  const root = api.ROOT_CONTEXT;
  const parent: Context = parked === undefined ? root : api.trace.setSpanContext(root, parked);
  const span = tracer.startSpan(
    `hold ${hold.toolName}`,
    {
      startTime: hold.createdAt,
      attributes: {
        'gen_ai.tool.name': hold.toolName,
        'gen_ai.tool.call.id': hold.key,
        'gen_ai.conversation.id': hold.conversationId,
        'holdpoint.run.id': hold.runId,
        'holdpoint.hold.id': hold.id,
        'holdpoint.hold.kind': hold.kind,
        'holdpoint.hold.outcome': outcome,
      },
    },
    parent,
  );
  span.end(hold.settledAt ?? hold.createdAt);
}

function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] =
    /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** Several exporters may ask at the same time, and counting is not free. */
function cached(
  readStats: () => Promise<DeskStats>,
  readEveryMs: number = READ_EVERY_MS,
): () => Promise<DeskStats> {
  let last: { readonly at: number; readonly stats: Promise<DeskStats> } | undefined;
  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at >= readEveryMs) last = { at: now, stats: readStats() };
    return last.stats;
  };
}

function observe(
  meter: Meter,
  { pool }: DeskOtelOptions,
  readStats: () => Promise<DeskStats>,
): () => void {
  const gauge = (name: string, description: string, unit?: string) =>
    meter.createObservableGauge(name, { description, ...(unit !== undefined && { unit }) });
  const queue = {
    depth: gauge('holdpoint.queue.depth', 'Tasks that are due.'),
    age: gauge('holdpoint.queue.age', 'The time since the oldest task is due.', 's'),
  };
  const holds = {
    open: gauge('holdpoint.holds.open', 'Open holds.'),
    age: gauge('holdpoint.holds.age', 'The age of the oldest open hold.', 's'),
  };
  const stuck = gauge('holdpoint.runs.stuck', 'Stuck runs.');
  const deadLetters = gauge('holdpoint.dead_letters', 'Tasks and webhooks that were given up.');
  const connections = gauge('holdpoint.pool.connections', 'Connections of the pool, by state.');
  const all = [queue.depth, queue.age, holds.open, holds.age, stuck, deadLetters, connections];
  const report: Parameters<Meter['addBatchObservableCallback']>[0] = async (result) => {
    if (pool !== undefined) {
      const { totalCount, idleCount, waitingCount } = pool;
      result.observe(connections, totalCount - idleCount, { state: 'used' });
      result.observe(connections, idleCount, { state: 'idle' });
      result.observe(connections, waitingCount, { state: 'waiting' });
    }
    const stats = await readStats();
    for (const { kind, count, oldestMs } of stats.dueTasks) {
      result.observe(queue.depth, count, { 'holdpoint.task.kind': kind });
      result.observe(queue.age, oldestMs / 1_000, { 'holdpoint.task.kind': kind });
    }
    result.observe(holds.open, stats.openHolds);
    result.observe(holds.age, stats.oldestOpenHoldMs / 1_000);
    result.observe(stuck, stats.stuckRuns);
    result.observe(deadLetters, stats.deadLetters);
  };
  meter.addBatchObservableCallback(report, all);
  return () => meter.removeBatchObservableCallback(report, all);
}

async function loadApi(): Promise<Api> {
  try {
    return await import('@opentelemetry/api');
  } catch (cause) {
    throw new UserError(
      '`deskOtel` needs the package `@opentelemetry/api`, which cannot be loaded. Install it with ' +
        '`npm install @opentelemetry/api`.',
      { cause, code: 'missing-package' },
    );
  }
}
