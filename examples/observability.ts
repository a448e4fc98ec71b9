// An agent whose runs are traced with OpenTelemetry. A run parks, and the run that resumes it links to its trace.
import assert from 'node:assert/strict';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { parkedTraceparent } from 'holdpoint/messages';
// #region agent
import { otel } from 'holdpoint/otel';

// #endregion
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

// Your application registers the SDK once, for example with `NodeSDK` of `@opentelemetry/sdk-node`. This example keeps
// the spans in memory.
const exporter = new InMemorySpanExporter();
const spanProcessors = [new SimpleSpanProcessor(exporter)];
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

const model = scriptedModel(
  calls('refund', { euros: 40 }, { id: 'call-1' }),
  says('You get your 40 euros back.'),
);

const refund = tool({
  name: 'refund',
  inputSchema: z.object({ euros: z.number() }),
  requiresApproval: true,
  execute({ euros }) {
    // Spans that a tool creates are children of its call.
    trace.getTracer('shop').startSpan('POST /refunds').end();
    return `${euros} euros were refunded.`;
  },
});

// #region agent
const agent = new Agent({
  name: 'clerk',
  model,
  tools: [refund],
  output: [String, DeferredToolRequests],
  capabilities: [otel()],
});
// #endregion

const parked = await agent.run('Please refund my order.');
assert(parked.status === 'parked');

// #region traceparent
const traceparent = parkedTraceparent(parked.messages); // '00-4bf92f3577b34da6…-00f067aa0ba902b7-01'
// #endregion

const results = parked.output.buildResults({ approveAll: true });
await agent.resume(parked, results);

const spans = exporter.getFinishedSpans();
const names = (traceId: string | undefined) =>
  spans.filter((span) => span.spanContext().traceId === traceId).map(({ name }) => name);
const [first, second] = spans.filter(({ name }) => name === 'invoke_agent clerk');
const traceIdOf = (span: ReadableSpan | undefined) => span?.spanContext().traceId;

assert.deepEqual(names(traceIdOf(first)), ['chat scripted', 'invoke_agent clerk']);
assert.deepEqual(names(traceIdOf(second)), [
  'POST /refunds',
  'execute_tool refund',
  'chat scripted',
  'invoke_agent clerk',
]);
assert.equal(first?.attributes['holdpoint.run.status'], 'parked');
assert.equal(second?.links[0]?.context.spanId, first.spanContext().spanId);
assert(traceparent?.includes(first.spanContext().spanId));
console.log('The resumed run links to the trace of the parked run.');
