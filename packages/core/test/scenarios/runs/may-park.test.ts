import { Agent, tool } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { expect, it } from 'vitest';

it('`durability.mayPark` parks a run of an agent without `DeferredToolRequests` among its outputs', async () => {
  const pay = tool({ name: 'pay', requiresApproval: true, execute: () => 'Paid.' });
  const agent = new Agent({ model: scriptedModel(calls('pay'), says('Done.')), tools: [pay] });

  const parked = await agent.run('Pay.', { durability: { mayPark: true } });
  expect(parked.status).toBe('parked');

  await expect(
    new Agent({ model: scriptedModel(calls('pay')), tools: [pay] }).run('Pay.'),
  ).rejects.toMatchObject({ code: 'cannot-park' });
});
