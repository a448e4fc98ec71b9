import {
  Agent,
  DeferredToolRequests,
  type Message,
  messageCodec,
  requestsFromMessages,
  type Tool,
  tool,
} from 'holdpoint';
import { pruneParked } from 'holdpoint/deferral';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { present } from '../support/present.ts';

const ROUNDS = 8;

const remove = tool({ name: 'remove', requiresApproval: true, execute: () => 'removed' });

/** Creates an agent, `depth` levels deep, that makes a call for approval in each of many rounds. */
function deepAgent(levels: number): Agent<readonly Tool[]> {
  if (levels === 0) {
    return new Agent<readonly Tool[]>({
      name: 'agent0',
      tools: [remove],
      model: functionModel(({ messages }) => {
        const step = messages.filter(({ kind }) => kind === 'response').length;
        return step <= ROUNDS ? calls('remove', {}, { id: `r${step}` }) : says('Done.');
      }),
    });
  }
  const subAgent = deepAgent(levels - 1);
  const delegation = calls(`agent${levels - 1}`, { prompt: 'Go on.' }, { id: 'd' });
  return new Agent<readonly Tool[]>({
    name: `agent${levels}`,
    tools: [subAgent.asTool()],
    model: functionModel(({ messages }) => (messages.length < 2 ? delegation : says('Done.'))),
  });
}

/** Returns the stored size after each round of a run with two such agents in parallel. */
async function sizesOf(
  levels: number,
  keep: (messages: readonly Message[]) => readonly Message[] = (messages) => messages,
): Promise<number[]> {
  const sub = deepAgent(levels);
  const lead = new Agent({
    tools: [sub.asTool()],
    output: [String, DeferredToolRequests],
    model: functionModel(({ messages }) =>
      messages.length < 2
        ? responds(
            calls(`agent${levels}`, { prompt: 'Go on.' }, { id: 'left' }),
            calls(`agent${levels}`, { prompt: 'Go on.' }, { id: 'right' }),
          )
        : says('Done.'),
    ),
  });
  let parked = await expectParked(lead.run('Go.'));
  const sizes = [messageCodec.stringify(keep(parked.messages)).length];
  for (let round = 1; round <= ROUNDS; round++) {
    const messages = messageCodec.parse(messageCodec.stringify(keep(parked.messages)));
    const requests = present(requestsFromMessages(messages));
    expect(requests.approvals.map(({ toolCallId }) => toolCallId.split('/').at(-1))).toEqual([
      `r${round - 1}`,
      `r${round - 1}`,
    ]);
    parked = await expectParked(
      lead.resume({ messages }, requests.buildResults({ approveAll: true })),
    );
    sizes.push(messageCodec.stringify(keep(parked.messages)).length);
  }
  return sizes;
}

function increments(sizes: readonly number[]): number[] {
  return sizes.slice(1).map((size, index) => size - present(sizes[index]));
}

describe('stored size of sub-agents that park repeatedly', () => {
  it.each([0, 1, 2])('grows by the same amount in every round, %i agents deep', async (levels) => {
    const sizes = await sizesOf(levels);

    const steps = increments(sizes);
    expect(Math.max(...steps) / Math.min(...steps), `increments ${steps.join(', ')}`).toBeLessThan(
      1.2,
    );
  });

  it('grows by the same amount for each level', async () => {
    const perRound = [];
    for (const levels of [0, 1, 2, 3])
      perRound.push(present(increments(await sizesOf(levels)).at(-1)));

    const perLevel = increments(perRound);
    expect(Math.max(...perLevel) / Math.min(...perLevel), perRound.join(', ')).toBeLessThan(1.2);
  });

  it('is smaller if the history is pruned, and grows no faster', async () => {
    const [plain, pruned] = [await sizesOf(2), await sizesOf(2, pruneParked)];

    const smaller = pruned.filter((size, round) => size <= present(plain[round]));
    expect(smaller).toHaveLength(plain.length);
    expect(present(pruned.at(-1))).toBeLessThan(present(plain.at(-1)));
    const [fastest, fastestPruned] = [plain, pruned].map((sizes) => Math.max(...increments(sizes)));
    expect(fastestPruned).toBeLessThanOrEqual(present(fastest));
  });
});
