import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startReceiver } from '../support/otlp-receiver.ts';
import { runNode } from '../support/run-program.ts';

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
  // The spans contain neither content nor the approver.
  expect(receiver.bodies.join('\n')).not.toMatch(/hopper|lovelace|ada@/i);
});
