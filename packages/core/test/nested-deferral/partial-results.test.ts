import {
  Agent,
  approveAll,
  type DeferredToolHandler,
  type DeferredToolRequests,
  MemoryLedger,
  type Tool,
} from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import { calls, responds } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { idsOf } from '../support/histories.ts';
import { rejectionOf } from '../support/latch.ts';
import { following, parkingOutput, removeTool, stored } from './support/pairs.ts';

/** Creates a capability that approves calls with these key endings and records its requests. */
function approving(...endings: readonly string[]) {
  const requested: (readonly string[])[] = [];
  const capability = handleDeferredToolCalls((requests) => {
    requested.push(idsOf(requests.approvals));
    return approvedIn(requests, endings);
  });
  return { capability, requested };
}

function approvedIn(requests: DeferredToolRequests, endings: readonly string[]) {
  const known = idsOf(requests.approvals).filter((id) =>
    endings.some((ending) => id.endsWith(ending)),
  );
  if (known.length === 0) return undefined;
  return requests.buildResults({ approvals: Object.fromEntries(known.map((id) => [id, true])) });
}

/** A lead whose sub-agent removes two files in one response, and then a third one. */
function team() {
  const { remove, ran } = removeTool();
  const sub = new Agent<readonly Tool[]>({
    name: 'sub',
    tools: [remove],
    model: following(
      responds(
        calls('remove', { path: 'a' }, { id: 'a' }),
        calls('remove', { path: 'b' }, { id: 'b' }),
      ),
      calls('remove', { path: 'c' }, { id: 'c' }),
    ),
  });
  const lead = new Agent({
    tools: [sub.asTool()],
    model: following(calls('sub', { prompt: '' }, { id: 'out' })),
    output: parkingOutput,
  });
  return { lead, ran };
}

describe('capabilities that resolve some calls of a sub-agent', () => {
  it('execute the resolved calls; the others stay pending with the sub-agent', async () => {
    const { lead, ran } = team();
    const { capability, requested } = approving('/a');

    const parked = await expectParked(lead.run('Go.', { capabilities: [capability] }));

    expect(ran).toEqual(['a']);
    expect(requested[0]).toEqual(['out/a', 'out/b']);
    expect(idsOf(parked.output.approvals)).toEqual(['out/b']);
  });

  it('leave a history that resumes in another process', async () => {
    const { lead, ran } = team();
    const { capability } = approving('/a', '/c');
    const parked = await expectParked(lead.run('Go.', { capabilities: [capability] }));
    expect(ran).toEqual(['a']);

    const done = await lead.resume(
      { messages: stored(parked) },
      parked.output.buildResults({ approveAll: true }),
      { capabilities: [capability] },
    );

    expect(done.status).toBe('finished');
    expect(ran).toEqual(['a', 'b', 'c']);
  });

  it('are called in order, each with the calls that earlier ones left pending', async () => {
    const { lead, ran } = team();
    const [first, second] = [approving('/b'), approving('/a')];

    const parked = await expectParked(
      lead.run('Go.', { capabilities: [first.capability, second.capability] }),
    );

    expect(first.requested[0]).toEqual(['out/a', 'out/b']);
    expect(second.requested[0]).toEqual(['out/a']);
    expect(ran.toSorted()).toEqual(['a', 'b']);
    expect(idsOf(parked.output.approvals)).toEqual(['out/c']);
  });

  it('leave the rest to the handler of the run, also for later requests of the sub-agent', async () => {
    const { lead, ran } = team();
    const { capability } = approving('/a');
    const left: (readonly string[])[] = [];
    const handler: DeferredToolHandler = (requests, ctx) => {
      left.push(idsOf(requests.approvals));
      return approveAll()(requests, ctx);
    };

    const done = await lead.run('Go.', {
      capabilities: [capability],
      deferredToolHandler: handler,
    });

    expect(done.status).toBe('finished');
    expect(left).toEqual([['out/b'], ['out/c']]);
    expect(ran).toEqual(['a', 'b', 'c']);
  });

  it('are rejected as a whole if one resolves a call that it did not receive', async () => {
    const { lead, ran } = team();
    const wrong = handleDeferredToolCalls((requests) => {
      const results = requests.buildResults({ approvals: { 'out/a': true } });
      results.approvals['out/x'] = true;
      return results;
    });

    const error = await rejectionOf(lead.run('Go.', { capabilities: [wrong] }));

    expect(String(error)).toMatch(/out\/x/);
    expect(ran).toEqual([]);
  });

  it('execute each call once with a ledger, in any number of steps', async () => {
    const ledger = new MemoryLedger();
    const { lead, ran } = team();
    const { capability } = approving('/a');
    const parked = await expectParked(
      lead.run('Go.', { capabilities: [capability], durability: { ledger } }),
    );
    const again = await expectParked(
      lead.resume({ messages: stored(parked) }, parked.output.buildResults({ approveAll: true }), {
        durability: { ledger },
      }),
    );
    expect(ran).toEqual(['a', 'b']);

    const results = again.output.buildResults({ approveAll: true });
    await lead.resume({ messages: stored(again) }, results, { durability: { ledger } });

    expect(ran).toEqual(['a', 'b', 'c']);
    expect(
      await rejectionOf(
        lead.resume({ messages: stored(again) }, results, { durability: { ledger } }),
      ),
    ).toMatchObject({ code: 'already-resumed' });
  });

  it('of the sub-agent are called before those of the parent run', async () => {
    const { remove, ran } = removeTool();
    const inner = approving('a');
    const outer = approving('/b');
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      tools: [remove],
      capabilities: [inner.capability],
      model: following(
        responds(
          calls('remove', { path: 'a' }, { id: 'a' }),
          calls('remove', { path: 'b' }, { id: 'b' }),
        ),
      ),
    });
    const lead = new Agent({
      tools: [sub.asTool()],
      model: following(calls('sub', { prompt: '' }, { id: 'out' })),
      output: parkingOutput,
    });

    const done = await lead.run('Go.', { capabilities: [outer.capability] });

    expect(done.status).toBe('finished');
    expect(inner.requested[0]).toEqual(['a', 'b']);
    expect(outer.requested).toEqual([['out/b']]);
    expect(ran).toEqual(['a', 'b']);
  });
});
