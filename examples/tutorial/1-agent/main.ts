// Step 1: the agent decides small refunds itself, and a handler approves the large ones.
import assert from 'node:assert/strict';
import { approver } from 'holdpoint/testing';
import { type Shop, support } from './agent.ts';

const paid: string[] = [];
const shop: Shop = {
  orders: new Map([
    ['17', 40],
    ['42', 400],
  ]),
  async pay(order, euros) {
    paid.push(`${order}: ${euros}`);
  },
};

// #region test
// A small refund needs no approval.
await support.run('Please refund order 17.', { deps: shop });
assert.deepEqual(paid, ['17: 40']);

// A large one executes only if the approver approves it.
const deny = approver.denyAll('The order is too old.');
await support.run('Please refund order 42.', { deps: shop, deferredToolHandler: deny });
assert.deepEqual(paid, ['17: 40']);

const approve = approver.approveAll();
await support.run('Please refund order 42.', { deps: shop, deferredToolHandler: approve });
assert.deepEqual(paid, ['17: 40', '42: 400']);
// #endregion
console.log('The agent paid 40 euros itself, and 400 after an approval.');
