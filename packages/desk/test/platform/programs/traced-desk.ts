// A process of a traced desk that exports over OTLP. It parks a run, decides its hold, or resumes it.
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { deskOtel } from '@holdpoint/desk/otel';
import { Agent } from 'holdpoint';
import { otel } from 'holdpoint/otel';
import { echoModel, newBank, output, pay } from '../../support/bank.ts';

const [endpoint = '', path = '', action = ''] = process.argv.slice(2);
const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
trace.setGlobalTracerProvider(provider);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

const bank = newBank();
const agent = new Agent({
  name: 'teller',
  model: echoModel,
  tools: [pay],
  output,
  capabilities: [otel()],
});
const desk = openDesk({
  store: await sqliteStore({ path }),
  agents: { teller: { agent, deps: () => bank } },
  telemetry: await deskOtel(),
});

if (action === 'park') await desk.start('teller', 'pay ada');
if (action === 'decide') {
  for (const { id, digest } of (await desk.holds()).items) {
    await desk.decide(id, { kind: 'approve' }, { by: { id: 'bo' }, digest });
  }
} else {
  await desk.drain();
}
await desk.close();
await provider.shutdown();
