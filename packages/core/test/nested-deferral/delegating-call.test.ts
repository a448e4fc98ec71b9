import {
  Agent,
  MemoryLedger,
  requestsFromMessages,
  type RunContext,
  type Tool,
  ToolApproved,
  ToolDenied,
} from 'holdpoint';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked, ways } from '../support/deferral.ts';
import { idsOf } from '../support/histories.ts';
import { present } from '../support/present.ts';
import { following, parkingAgent, removeTool } from './support/pairs.ts';

/**
 * A lead whose call to a sub-agent needs approval. The sub-agent then makes two calls that need
 * approval, in sequence.
 */
function guardedTeam() {
  const { remove, ran } = removeTool();
  const prompts: unknown[] = [];
  const contexts: { approved: boolean; metadata: unknown }[] = [];
  const sub = new Agent<readonly Tool[]>({
    name: 'sub',
    tools: [remove],
    model: following(
      calls('remove', { path: 'a' }, { id: 'first' }),
      calls('remove', { path: 'b' }, { id: 'second' }),
    ),
  });
  const delegate = sub.asTool({
    requiresApproval: true,
    prompt({ prompt }) {
      prompts.push(prompt);
      return prompt;
    },
    deps(ctx: RunContext) {
      contexts.push({ approved: ctx.toolCallApproved, metadata: ctx.toolCallMetadata });
      return undefined;
    },
  });
  const lead = parkingAgent([calls('sub', { prompt: 'Go on.' }, { id: 'out' })], {
    tools: [delegate],
  });
  return { lead, ran, prompts, contexts };
}

describe.each(ways)('the approval of a call to an agent, with messages $way', (way) => {
  it('is requested first, and recorded while the sub-agent is parked', async () => {
    const { lead, ran, prompts, contexts } = guardedTeam();

    const first = await expectParked(lead.run('Go.'));
    expect(idsOf(first.output.approvals)).toEqual(['out']);
    expect(prompts).toEqual([]);

    const approved = way.results(
      first.output.buildResults({
        approvals: { out: new ToolApproved({ overrideArgs: { prompt: 'Go on, carefully.' } }) },
        metadata: { out: { by: 'ada' } },
      }),
    );
    const second = await expectParked(
      lead.resume({ messages: way.messages(first.messages) }, approved),
    );
    expect(idsOf(second.output.approvals)).toEqual(['out/first']);
    expect(ran).toEqual([]);

    const yes = way.results(second.output.buildResults({ approveAll: true }));
    const third = await expectParked(lead.resume({ messages: way.messages(second.messages) }, yes));
    expect(idsOf(third.output.approvals)).toEqual(['out/second']);

    const done = await lead.resume(
      { messages: way.messages(third.messages) },
      way.results(third.output.buildResults({ approveAll: true })),
    );
    expect(done.status).toBe('finished');
    expect(ran).toEqual(['a', 'b']);
    expect(prompts).toEqual(['Go on, carefully.']);
    expect(contexts).toEqual(
      Array.from({ length: 3 }, () => ({ approved: true, metadata: { by: 'ada' } })),
    );
    expect(done.messages.flatMap(({ parts }) => [...parts])).toContainEqual(
      expect.objectContaining({
        kind: 'tool-return',
        toolCallId: 'out',
        metadata: { holdpoint: { executedArgs: { prompt: 'Go on, carefully.' } } },
      }),
    );
  });

  it('that is denied executes nothing of the sub-agent', async () => {
    const { lead, ran, prompts } = guardedTeam();
    const parked = await expectParked(lead.run('Go.'));

    const done = await lead.resume(
      { messages: way.messages(parked.messages) },
      way.results(parked.output.buildResults({ approvals: { out: new ToolDenied('No.') } })),
    );

    expect(done.status).toBe('finished');
    expect(done.messages.at(-2)?.parts).toMatchObject([{ outcome: 'denied', content: 'No.' }]);
    expect(prompts).toEqual([]);
    expect(ran).toEqual([]);
  });

  it('is not claimed: with a ledger the calls of the agent are claimed, and each executes once', async () => {
    const ledger = new MemoryLedger();
    const { lead, ran, prompts } = guardedTeam();
    let parked = await expectParked(lead.run('Go.', { durability: { ledger } }));

    for (const waits of ['out', 'out/first', 'out/second']) {
      const messages = way.messages(parked.messages);
      expect(idsOf(present(requestsFromMessages(messages)).approvals)).toEqual([waits]);
      const results = way.results(parked.output.buildResults({ approveAll: true }));
      const going = lead.resume({ messages }, results, { durability: { ledger } });
      if (waits === 'out/second') expect((await going).status).toBe('finished');
      else parked = await expectParked(going);
      await expect(
        lead.resume({ messages }, results, { durability: { ledger } }),
      ).rejects.toMatchObject({
        code: 'already-resumed',
      });
    }

    expect(ran).toEqual(['a', 'b']);
    expect(prompts).toEqual(['Go on.']);
  });
});
