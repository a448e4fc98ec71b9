import { Agent, ApprovalRequired, DeferredToolRequests, tool } from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import { calls, responds, scriptedModel } from 'holdpoint/testing';
import { expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { idsOf } from '../../support/histories.ts';

const execute = () => {
  throw new ApprovalRequired();
};

it('approved calls that defer again keep the order of the requests', async () => {
  const agent = new Agent({
    model: scriptedModel(
      responds(calls('always', {}, { id: 'a' }), calls('sometimes', {}, { id: 's' })),
    ),
    tools: [
      tool({ name: 'always', requiresApproval: true, execute }),
      tool({ name: 'sometimes', execute }),
    ],
    output: [String, DeferredToolRequests],
    capabilities: [
      handleDeferredToolCalls((requests) => requests.buildResults({ approveAll: true })),
    ],
  });

  const { output } = await expectParked(agent.run('Go.'));

  expect(idsOf(output.approvals)).toEqual(['s', 'a']);
});
