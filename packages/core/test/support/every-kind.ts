import { type DeferredToolResults, UserError } from 'holdpoint';
import { calls, responds, says } from 'holdpoint/testing';
import { expect } from 'vitest';
import { rejectionOf } from './latch.ts';
import { agentIn, expectParked, type Way, workshop } from './deferral.ts';

/** A pending call of each kind, deferred by the tool's declaration and by a thrown signal. */
export const everyKind = responds(
  calls('remove', { path: 'a' }, { id: 'remove' }),
  calls('move', { path: 'b' }, { id: 'move' }),
  calls('paint', { path: 'c' }, { id: 'paint' }),
  calls('render', { path: 'd' }, { id: 'render' }),
);

/** Decisions about the calls that need approval. */
export const approvals = { remove: true, move: true };
/** Results of the external calls. */
export const values = { paint: 'a picture', render: 'another one' };

/** Parks a run on all of these calls. */
export async function parkedOnEveryKind() {
  const shop = workshop();
  const agent = agentIn(shop, [everyKind, says('Done.')]);
  const parked = await expectParked(agent.run('Go.'));
  expect(shop.effects).toEqual([]);
  return { shop, agent, parked };
}

/** Resumes a run with invalid results; returns the error. */
export async function rejectionBy(way: Way, results: DeferredToolResults) {
  const { shop, parked } = await parkedOnEveryKind();
  const agent = agentIn(shop, []);
  const messageHistory = way.messages(parked.messages);
  const deferredToolResults = way.results(results);

  const error = await rejectionOf(agent.run(undefined, { messageHistory, deferredToolResults }));

  expect(shop.effects).toEqual([]);
  expect(error).toBeInstanceOf(UserError);
  return String(error);
}
