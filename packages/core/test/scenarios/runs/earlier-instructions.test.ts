import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';

const remove = tool({ name: 'remove', requiresApproval: true, execute: () => 'removed' });

async function parkedWith(instructions: string) {
  const model = scriptedModel(calls('remove'), says('Done.'), says('Bye.'));
  const agent = new Agent({ model, tools: [remove], output: [String, DeferredToolRequests] });
  return { model, agent, parked: await expectParked(agent.run('Go.', { instructions })) };
}

describe('instructions of an earlier request', () => {
  it('are sent with its results if the next step has none', async () => {
    const model = scriptedModel(calls('list'), says('Done.'));
    const list = tool({ name: 'list', execute: () => 'files' });
    const agent = new Agent({
      model,
      tools: [list],
      instructions: ({ runStep }) => (runStep === 1 ? 'Look first.' : undefined),
    });

    const { messages } = await agent.run('Go.');

    expect(model.calls.map((call) => call.instructions)).toEqual(['Look first.', 'Look first.']);
    expect(messages[2]).not.toHaveProperty('instructions');
  });

  it('are sent with its results if the run that resumes has none', async () => {
    const { model, agent, parked } = await parkedWith('Be careful.');

    const results = parked.output.buildResults({ approveAll: true });
    const resumed = await agent.resume(parked, results);
    await agent.run('Next.', { messageHistory: resumed.messages });

    expect(model.calls.map((call) => call.instructions)).toEqual([
      'Be careful.',
      'Be careful.',
      undefined,
    ]);
    expect(resumed.newMessages[0]).not.toHaveProperty('instructions');
  });

  it('are not sent with a prompt', async () => {
    const { model, agent, parked } = await parkedWith('Be careful.');

    const results = parked.output.buildResults({ approveAll: true });
    await agent.resume(parked, results, { prompt: 'And then?' });

    expect(model.calls[1]?.instructions).toBeUndefined();
  });

  it('are replaced by those of the run that resumes', async () => {
    const { model, agent, parked } = await parkedWith('Be careful.');

    const results = parked.output.buildResults({ approveAll: true });
    await agent.resume(parked, results, { instructions: 'Be quick.' });

    expect(model.calls[1]?.instructions).toBe('Be quick.');
  });
});
