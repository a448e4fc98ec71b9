import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startReceiver } from '../../../core/test/support/otlp-receiver.ts';
import { runNode } from '../../../core/test/support/run-program.ts';
import { scratchFolder } from './support/scratch-folder.ts';

const PROGRAM = join(import.meta.dirname, 'programs/traced-desk.ts');
const WAIT_MS = 300;

it('a run that three processes park, decide and resume has a trace with the wait', async () => {
  await using receiver = await startReceiver();
  const path = join(scratchFolder('traced'), 'desk.sqlite');
  const run = (action: string) =>
    runNode(['--conditions=holdpoint-source', PROGRAM, receiver.url, path, action]);

  await run('park');
  await sleep(WAIT_MS);
  await run('decide');
  await run('resume');

  const spans = receiver.spans();
  const [parked, resumed] = spans.filter(({ name }) => name === 'invoke_agent teller');
  const hold = spans.find(({ name }) => name === 'hold pay');
  const call = spans.find(({ name }) => name === 'execute_tool pay');
  // The wait is in the trace of the run that parked, and the run that resumes it links to it.
  expect(hold).toMatchObject({ traceId: parked?.traceId, parentSpanId: parked?.spanId });
  const waited = Number(hold?.endTimeUnixNano) - Number(hold?.startTimeUnixNano);
  expect(waited / 1e6).toBeGreaterThanOrEqual(WAIT_MS);
  expect(JSON.stringify(hold?.attributes)).toContain('"approved"');
  expect(resumed?.links).toMatchObject([{ traceId: parked?.traceId, spanId: parked?.spanId }]);
  expect(call?.traceId).toBe(resumed?.traceId);
  expect(JSON.stringify(hold)).not.toMatch(/\b(?:bo|ada)\b/);
});
