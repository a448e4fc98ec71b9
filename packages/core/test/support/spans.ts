import { context, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

/** A tracer of the OpenTelemetry SDK, and the spans that it recorded. */
export interface RecordedSpans {
  readonly tracer: Tracer;
  /** Returns the ended spans in the order of their starts. */
  readonly spans: () => readonly ReadableSpan[];
  /** Returns the names of the spans, each indented below its parent. */
  readonly tree: () => readonly string[];
  /** Returns the only span with this name. */
  readonly span: (name: string) => ReadableSpan;
}

/** Returns a tracer that keeps its spans in memory. */
export function recordSpans(): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  // Start times can be equal, so the processor numbers the spans.
  const order = new Map<string, number>();
  const counter = {
    onStart: (span: { spanContext(): { spanId: string } }) =>
      void order.set(span.spanContext().spanId, order.size),
    onEnd() {},
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const provider = new BasicTracerProvider({
    spanProcessors: [counter, new SimpleSpanProcessor(exporter)],
  });
  const indexOf = (span: ReadableSpan) => order.get(span.spanContext().spanId) ?? -1;
  const spans = () =>
    exporter.getFinishedSpans().toSorted((one, other) => indexOf(one) - indexOf(other));
  const depthOf = (span: ReadableSpan): number => {
    const parent = spans().find((one) => isParent(one, span));
    return parent === undefined ? 0 : depthOf(parent) + 1;
  };
  return {
    tracer: provider.getTracer('test'),
    spans,
    tree: () => spans().map((span) => `${'  '.repeat(depthOf(span))}${span.name}`),
    span(name) {
      const [found, ...others] = spans().filter((one) => one.name === name);
      if (found === undefined || others.length > 0) {
        throw new Error(`There are ${others.length + (found ? 1 : 0)} spans '${name}'.`);
      }
      return found;
    },
  };
}

function isParent(one: ReadableSpan, span: ReadableSpan): boolean {
  return one.spanContext().spanId === span.parentSpanContext?.spanId;
}
