import { requestsCodec, tool, UserError } from 'holdpoint';
import { calls, responds } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  agentIn,
  expectParked,
  ways,
  workshop,
} from '../../packages/core/test/support/deferral.ts';
import { present } from '../../packages/core/test/support/present.ts';

describe('arguments in requests', () => {
  const input = z.object({ path: z.string(), count: z.coerce.number().default(1) });
  const remove = tool({
    name: 'remove',
    inputSchema: input,
    requiresApproval: true,
    execute: () => 'removed',
  });
  const move = tool({
    name: 'move',
    inputSchema: input,
    requiresApproval: (args) => args.count > 1,
    execute: () => 'moved',
  });
  const text = '{ "path": "a" }';

  async function parked() {
    const script = [
      responds(
        calls('remove', text, { id: 'r' }),
        calls('move', { path: 'b', count: '3' }, { id: 'm' }),
      ),
    ];
    return expectParked(agentIn(workshop(), script, { tools: [remove, move] }).run('Go.'));
  }

  it('are as the model sent them, as in the history', async () => {
    const { output, messages } = await parked();

    expect(output.approvals).toMatchObject([
      { toolCallId: 'm', args: '{"path":"b","count":"3"}' },
      { toolCallId: 'r', args: text },
    ]);
    expect(messages.at(-1)?.parts).toEqual(output.approvals.toReversed());
    const stored = present(ways[1]).messages(messages);
    expect(stored.at(-1)?.parts).toEqual(
      requestsCodec.parse(requestsCodec.stringify(output)).approvals.toReversed(),
    );
  });

  it('are validated by one method call', async () => {
    const { output } = await parked();

    expect(output.get('r').args).toEqual({ path: 'a', count: 1 });
    expect(output.get('m').args).toEqual({ path: 'b', count: 3 });
    expect(Object.isFrozen(output.get('m').args)).toBe(true);
    expect(() => output.get('x').args).toThrow(UserError);
  });

  it.each(ways)(
    'are validated if a run with these tools parked on the requests ($way)',
    async (way) => {
      const first = await parked();
      const { output } = await expectParked(
        agentIn(workshop(), [], { tools: [remove, move] }).run(undefined, {
          messageHistory: way.messages(first.messages),
        }),
      );
      const stored = requestsCodec.parse(requestsCodec.stringify(output));
      const [m, r] = stored.approvals;

      expect(stored.get('r').args).toEqual({ path: 'a', count: 1 });
      expect(move.matches(present(m)) && stored.get(present(m)).args).toEqual({
        path: 'b',
        count: 3,
      });
      expect(remove.matches(present(r)) && stored.get(present(r)).args).toEqual({
        path: 'a',
        count: 1,
      });
      expect(stored.get('r').args).toEqual({ path: 'a', count: 1 });
    },
  );

  // A run knows its tools, also if it resumes pending calls.
  it.each(ways)('are validated in a run that parks again on the same calls ($way)', async (way) => {
    const first = await parked();

    const { output } = await expectParked(
      agentIn(workshop(), [], { tools: [remove, move] }).run(undefined, {
        messageHistory: way.messages(first.messages),
      }),
    );

    expect(output.get('r').args).toEqual({ path: 'a', count: 1 });
    expect(output.get('m').args).toEqual({ path: 'b', count: 3 });
  });
});
