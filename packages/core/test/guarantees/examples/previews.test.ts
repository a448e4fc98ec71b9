import {
  ApprovalRequired,
  ModelRetry,
  requestsFromMessages,
  ToolApproved,
  tool,
  UserError,
} from 'holdpoint';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { recordOf } from '../../support/histories.ts';
import { never, rejectionOf } from '../../support/latch.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { files, probeAgent, stored, unguarded, withDigests, withLedger } from './probe.ts';

const DELETE = calls('delete_file', { path: 'a' }, { id: 'a' });

describe.each([unguarded, withDigests, withLedger])('a preview, $guard,', ({ options }) => {
  /** Parks a run on the deletion of a file, with its size as the preview. */
  const park = async (more: { onDrift?: 'ask' | 'deny' } = {}) => {
    const world = { size: 10 };
    const { done, tools } = files({
      preview: ({ path }) => ({ path, bytes: world.size }),
    });
    const agent = probeAgent([DELETE], { tools, durability: { ...options().durability, ...more } });
    const parked = await expectParked(agent.run('Go.'));
    return { world, done, agent, parked };
  };

  it('is shown to the approver, and travels with the history', async () => {
    const { parked } = await park();
    const { messages } = stored(parked.messages);

    const shown = { path: 'a', bytes: 10 };
    expect(parked.output.get('a').details.preview).toEqual(shown);
    expect(requestsFromMessages(messages)?.get('a').details.preview).toEqual(shown);
    expect(recordOf(messages.at(-1))?.open).toMatchObject({ a: { details: { preview: shown } } });
    // Previews are for approvers; the model never receives them.
    expect(JSON.stringify(parked.messages.map(({ parts }) => parts))).not.toContain('bytes');
  });

  it('that is the same at execution lets the call execute', async () => {
    const { done, agent, parked } = await park();

    await agent.resume(stored(parked.messages), parked.output.buildResults({ approveAll: true }));

    expect(done).toEqual(['deleted a']);
  });

  it('that differs at execution requests the call again with the current preview', async () => {
    const { world, done, agent, parked } = await park();
    world.size = 5_000_000;

    const again = await expectParked(
      agent.resume(stored(parked.messages), parked.output.buildResults({ approveAll: true })),
    );

    expect(done).toEqual([]);
    expect(again.output.get('a').details).toMatchObject({
      drifted: true,
      preview: { path: 'a', bytes: 5_000_000 },
    });
    await agent.resume(stored(again.messages), again.output.buildResults({ approveAll: true }));
    expect(done).toEqual(['deleted a']);
  });

  it('that differs at execution denies the call if the run is set to deny drift', async () => {
    const { world, done, agent, parked } = await park({ onDrift: 'deny' });
    world.size = 5_000_000;

    const { messages } = await agent.resume(
      stored(parked.messages),
      parked.output.buildResults({ approveAll: true }),
    );

    expect(done).toEqual([]);
    expect(resultsIn(messages)).toEqual([expect.stringMatching(/not what its approver was shown/)]);
  });

  it('may differ for arguments that the approver edited', async () => {
    const { done, agent, parked } = await park();
    const edited = new ToolApproved({ overrideArgs: { path: 'b' } });

    await agent.resume(
      stored(parked.messages),
      parked.output.buildResults({ approvals: { a: edited } }),
    );

    expect(done).toEqual(['deleted b']);
  });

  it('is shown to a handler as well; one that differs by then parks the run', async () => {
    const { world, done, agent } = await park();
    const shown: unknown[] = [];

    const again = await expectParked(
      agent.run('Go.', {
        deferredToolHandler(requests) {
          shown.push(requests.get('a').details.preview);
          // The file grows between the request and the decision.
          world.size = 20;
          return requests.buildResults({ approveAll: true });
        },
      }),
    );

    expect(shown).toEqual([{ path: 'a', bytes: 10 }]);
    expect(again.output.get('a').details).toMatchObject({ drifted: true, preview: { bytes: 20 } });
    expect(done).toEqual([]);
  });
});

describe('the preview of a tool that throws ApprovalRequired', () => {
  it.each(['ask', 'deny'] as const)(
    'is shown, and the approved call executes: onDrift %s',
    async (onDrift) => {
      const ran: string[] = [];
      const careful = tool({
        name: 'careful',
        version: '1',
        preview: () => 'Does it.',
        execute(_args, ctx) {
          if (!ctx.toolCallApproved) throw new ApprovalRequired({ reason: 'It matters.' });
          ran.push('did it');
        },
      });
      const agent = probeAgent([calls('careful', {}, { id: 'x' })], {
        tools: [careful],
        durability: { onDrift },
      });

      const parked = await expectParked(agent.run('Go.'));
      expect(parked.output.get('x').details).toEqual({ preview: 'Does it.', version: '1' });
      const { status } = await agent.resume(
        parked,
        parked.output.buildResults({ approveAll: true }),
      );

      expect(status).toBe('finished');
      expect(ran).toEqual(['did it']);
    },
  );
});

describe('a preview that hangs', () => {
  it('does not delay an aborted run', async () => {
    const { tools } = files({ preview: never });
    const agent = probeAgent([DELETE], { tools });

    const error = await rejectionOf(agent.run('Go.', { signal: AbortSignal.timeout(20) }));

    expect(error).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('a preview that tries to steer the run', () => {
  it.each([
    [
      'at once',
      () => {
        throw new ModelRetry('No such file.');
      },
    ],
    ['later', () => Promise.reject(new ModelRetry('No such file.'))],
  ])('is an error that names the correct method: %s', async (_, preview) => {
    const { done, tools } = files({ preview });

    const error = await rejectionOf(probeAgent([DELETE], { tools }).run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /preview of tool `delete_file` threw ModelRetry[^]*argsValidator/,
      ),
    });
    expect(done).toEqual([]);
  });
});
