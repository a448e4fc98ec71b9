// A process with an OpenTelemetry SDK that exports over OTLP. It parks a run and prints its messages, or resumes the run
// whose messages it is passed.
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import {
  Agent,
  DeferredToolRequests,
  DeferredToolResults,
  messageCodec,
  ToolApproved,
  tool,
} from 'holdpoint';
import { otel } from 'holdpoint/otel';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const [endpoint = '', stored] = process.argv.slice(2);
const provider = new BasicTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
});
trace.setGlobalTracerProvider(provider);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

const refund = tool({
  name: 'refund',
  inputSchema: z.object({ customer: z.string() }),
  requiresApproval: true,
  execute: ({ customer }) => `refunded ${customer}`,
});
const agent = new Agent({
  name: 'clerk',
  model: stored
    ? scriptedModel(says('Grace Hopper has her money.'))
    : scriptedModel(calls('refund', { customer: 'Grace Hopper' }, { id: 'r1' })),
  tools: [refund],
  output: [String, DeferredToolRequests],
  capabilities: [otel()],
});

if (stored === undefined) {
  const parked = await agent.run('Refund Grace Hopper.');
  console.log(messageCodec.stringify(parked.messages));
} else {
  const approval = { by: [{ id: 'ada@example.com', name: 'Ada Lovelace' }] };
  const results = new DeferredToolResults({ approvals: { r1: new ToolApproved({ approval }) } });
  const { output } = await agent.resume({ messages: messageCodec.parse(stored) }, results);
  console.log(output);
}
await provider.shutdown();
