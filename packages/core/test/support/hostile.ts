import { DeferredToolResults, type Message, UserError } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { expect } from 'vitest';
import { agentIn, expectParked, type Workshop, workshop } from './deferral.ts';
import { rejectionOf } from './latch.ts';

/** Answers as somebody gives them who does not care about types. */
export interface Forged {
  readonly approvals?: Record<string, unknown>;
  readonly calls?: Record<string, unknown>;
  readonly metadata?: Record<string, unknown>;
}

/** Makes answers of it, unchecked. */
export function forge(answers: Forged): DeferredToolResults {
  return new DeferredToolResults(answers as ConstructorParameters<typeof DeferredToolResults>[0]);
}

/** Resumes with answers that must be refused: nothing runs, no model is asked. Gives the message. */
export async function refusal(
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

/** A run that waits for `remove` (id `r`) and `paint` (id `p`). */
export async function parkedRun() {
  const shop = workshop();
  const script = [
    responds(calls('remove', { path: 'a' }, { id: 'r' }), calls('paint', {}, { id: 'p' })),
  ];
  const parked = await expectParked(agentIn(shop, script).run('Go.'));
  return { shop, parked, messages: parked.messages };
}

/** The answers that {@link parkedRun} waits for. */
export const good = { approvals: { r: true }, calls: { p: 1 } };
