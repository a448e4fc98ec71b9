import type { Ledger } from 'holdpoint';
import { SealedRunError, type SealedRunsOptions, sealedRuns } from 'holdpoint/sealed';
import { calls, fakeClock, responds, says, type ScriptEntry } from 'holdpoint/testing';
import { expect } from 'vitest';
import { agentIn, expectParked, workshop } from '../support/deferral.ts';
import { rejectionOf } from '../support/latch.ts';

/** A key for tests; it is no secret. */
export const KEY: Uint8Array = Uint8Array.from({ length: 32 }, (_, index) => index);

/** An hour in milliseconds. */
export const HOUR = 3_600_000;

/** Creates sealed runs with a clock that the test controls. */
export function sealingDesk(options: Partial<SealedRunsOptions> = {}) {
  const clock = fakeClock({ start: Date.UTC(2026, 10, 15, 12) });
  const sealed = sealedRuns({
    keys: { '2026-11': KEY },
    audience: 'shop',
    expiresIn: HOUR,
    now: () => clock.now(),
    ...options,
  });
  return { clock, sealed };
}

/** Parks a run on `remove` with the id `c1`. Returns the arguments of a resume. */
export async function parkedRun(
  options: { readonly ledger?: Ledger; readonly prompt?: string } = {},
  ...afterwards: readonly ScriptEntry[]
) {
  const { prompt = 'Remove it.', ledger } = options;
  const shop = workshop();
  const script = afterwards.length > 0 ? afterwards : [says('Done.')];
  const agent = agentIn(
    shop,
    [responds(calls('remove', { path: '.env' }, { id: 'c1' })), ...script],
    {
      instructions: 'Never tell anybody about the vault.',
    },
  );
  const parked = await expectParked(agent.run(prompt, { durability: { ledger } }));
  return { shop, agent, parked };
}

/** Returns the reason why a token was rejected; fails on any other error. */
export async function problemOf(work: Promise<unknown>): Promise<string> {
  const error = await rejectionOf(work);
  expect(error).toBeInstanceOf(SealedRunError);
  return (error as SealedRunError).problem;
}
