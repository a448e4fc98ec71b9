import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayOnRestate, scenarios } from '../support/conformance.ts';
import { RestateServer } from '../support/restate-server.ts';

/** `npm run soak` replays every case; other runs replay every eighth, and all about parallel calls and timeouts. */
const isSoak = process.env['SOAK_TIMES'] !== undefined;
const cases = scenarios.filter(
  ({ name }, index) =>
    isSoak || index % 8 === 0 || /parallel|timeout|nested\/|lifecycle\//.test(name),
);

describe('conformance on restateEnvironment', () => {
  let server: RestateServer;

  beforeAll(async () => {
    server = await RestateServer.start();
  });

  afterAll(() => server[Symbol.asyncDispose]());

  it.each(['live', 'suspended'] as const)(
    'passes with every step executed once: %s',
    { timeout: 300_000 },
    async (mode) => {
      const { failed, passed, repeated, steps, attempts, opens, closes } = await replayOnRestate(
        server,
        mode,
        cases,
      );

      expect(failed).toEqual([]);
      expect(passed).toBe(cases.length);
      expect(repeated).toBe(0);
      expect(closes).toBe(opens);
      console.log(
        `${mode}: ${passed} passed, ${steps} steps, ${attempts} attempts, ${opens} opens`,
      );
      expect(steps).toBeGreaterThan(cases.length / 2);
      // A suspended invocation has an attempt for each step.
      if (mode === 'suspended') expect(attempts).toBeGreaterThan(cases.length * 2);
      if (isSoak) expect(cases.length).toBe(217);
    },
  );
});
