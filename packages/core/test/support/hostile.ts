import { DeferredToolResults, type Message, UserError } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { expect } from 'vitest';
import { agentIn, expectParked, type Workshop, workshop } from './deferral.ts';
import { rejectionOf } from './latch.ts';

/** Results without type checks. */
export interface Forged {
  readonly approvals?: Record<string, unknown>;
  readonly calls?: Record<string, unknown>;
  readonly metadata?: Record<string, unknown>;
}

/** Builds results without validation. */
export function forge(results: Forged): DeferredToolResults {
  return new DeferredToolResults(results as ConstructorParameters<typeof DeferredToolResults>[0]);
}

/**
 * Resumes with invalid results; checks that nothing executes and no model is called. Returns the
 * message.
 */
export async function rejectionMessage(
  shop: Workshop,
  messageHistory: readonly Message[],
  deferredToolResults: unknown,
): Promise<string> {
  const before = shop.effects.length;
  const model = scriptedModel(says('Done.'));

  const error = await rejectionOf(
    agentIn(shop, []).run(undefined, {
      model,
      messageHistory,
      deferredToolResults: deferredToolResults as DeferredToolResults,
    }),
  );

  expect(shop.effects).toHaveLength(before);
  expect(model.calls).toEqual([]);
  expect(error).toBeInstanceOf(UserError);
  return String(error);
}

/** A run parked on `remove` (id `r`) and `paint` (id `p`). */
export async function parkedRun() {
  const shop = workshop();
  const script = [
    responds(calls('remove', { path: 'a' }, { id: 'r' }), calls('paint', {}, { id: 'p' })),
  ];
  const parked = await expectParked(agentIn(shop, script).run('Go.'));
  return { shop, parked, messages: parked.messages };
}

/** Valid results for {@link parkedRun}. */
export const good = { approvals: { r: true }, calls: { p: 1 } };
