import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runNode } from '../support/run-program.ts';

/** A span as OTLP sends it in JSON. */
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly events?: readonly { readonly name: string }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** Starts a receiver of OTLP over HTTP on the loopback interface. */
async function startReceiver() {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url === '/v1/traces') bodies.push(Buffer.concat(chunks).toString());
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    spans: () =>
      bodies
        .map((body) => JSON.parse(body) as OtlpRequest)
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const program = fileURLToPath(new URL('otel/traced-agent.ts', import.meta.url));
const runAgent = (...args: string[]) =>
  runNode(['--conditions=holdpoint-source', program, ...args]);

it('a run that one process parks and another resumes has two linked traces', async () => {
  await using receiver = await startReceiver();

  const messages = await runAgent(receiver.url);
  const parked = receiver.spans();
  const output = await runAgent(receiver.url, messages);
  const resumed = receiver.spans().slice(parked.length);

  expect(output).toContain('Grace Hopper');
  expect(parked.map(({ name }) => name).toSorted()).toEqual([
    'chat scripted',
    'invoke_agent clerk',
  ]);
  expect(resumed.map(({ name }) => name).toSorted()).toEqual([
    'chat scripted',
    'execute_tool refund',
    'invoke_agent clerk',
  ]);
  const [first, second] = [parked, resumed].map((spans) =>
    spans.find(({ name }) => name === 'invoke_agent clerk'),
  );
  expect(first?.events).toMatchObject([{ name: 'holdpoint.hold.opened' }]);
  expect(second?.parentSpanId).toBeUndefined();
  expect(second?.traceId).not.toBe(first?.traceId);
  expect(second?.links).toMatchObject([{ traceId: first?.traceId, spanId: first?.spanId }]);
  for (const [spans, root] of [[parked, first] as const, [resumed, second] as const]) {
    expect(spans.every(({ traceId }) => traceId === root?.traceId)).toBe(true);
    expect(spans.filter((span) => span !== root && span.parentSpanId !== root?.spanId)).toEqual([]);
    expect(spans.filter(({ status }) => (status.code ?? 0) !== 0)).toEqual([]);
  }
  // Neither the content nor the approver leaves the process.
  expect(receiver.bodies.join('\n')).not.toMatch(/hopper|lovelace|ada@/i);
});
