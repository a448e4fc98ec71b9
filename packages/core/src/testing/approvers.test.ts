import { ToolApproved, ToolDenied, ToolFailed, UserError } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentIn, expectParked, workshop } from '../../test/support/deferral.ts';
import { DeferredToolRequests } from '../deferred/requests.ts';
import { type TestApprover, approver } from './approvers.ts';

/** Parks a run with two approvals and one external call. Returns a function that resumes it. */
async function parkedRun() {
  const shop = workshop();
  const script = [
    responds(
      calls('remove', { path: 'a' }, { id: 'r' }),
      calls('move', { path: 'b' }, { id: 'm' }),
      calls('paint', {}, { id: 'p' }),
    ),
  ];
  const agent = agentIn(shop, script);
  const parked = await expectParked(agent.run('Go.'));
  const resume = (decide: TestApprover) =>
    agent.run(undefined, {
      model: scriptedModel(says('Done.')),
      messageHistory: parked.messages,
      deferredToolResults: decide(parked.output),
    });
  return { shop, agent, requests: parked.output, resume };
}

const all = approver.byTool({ remove: true, move: new ToolDenied('No.'), paint: 'painted' });

describe('approver', () => {
  it('approves or denies every approval, and leaves external calls pending', async () => {
    const { requests } = await parkedRun();

    const approved = approver.approveAll()(requests);
    const denied = approver.denyAll('Never.')(requests);

    expect({ ...approved.approvals }).toEqual({ r: new ToolApproved(), m: new ToolApproved() });
    expect({ ...denied.approvals }).toEqual({
      r: new ToolDenied('Never.'),
      m: new ToolDenied('Never.'),
    });
    for (const { calls: results } of [approved, denied]) expect({ ...results }).toEqual({});
  });

  it('decides by tool name, also with a function', async () => {
    const { requests, resume, shop } = await parkedRun();
    const decide = approver.byTool({
      remove: ({ toolCallId }) => toolCallId === 'r',
      move: new ToolDenied('No.'),
      paint: () => new ToolFailed('No colour.'),
    });

    expect({ ...decide(requests).approvals }).toEqual({ r: true, m: new ToolDenied('No.') });
    const result = await resume(decide);

    expect(result.output).toBe('Done.');
    expect(shop.ran()).toEqual(['remove a']);
  });

  it('ignores names that every object has', () => {
    const call = { kind: 'tool-call', toolCallId: 'x', toolName: 'toString', args: {} } as const;
    const requests = new DeferredToolRequests({ approvals: [call] });

    expect(approver.byTool({})(requests).has('x')).toBe(false);
  });

  it('can be used as a handler', async () => {
    const shop = workshop();
    const script = [calls('remove', { path: 'a' }), says('Done.')];

    const result = await agentIn(shop, script).run('Go.', {
      deferredToolHandler: approver.approveAll(),
    });

    expect(result.status).toBe('finished');
    expect(shop.ran()).toEqual(['remove a']);
  });

  it('returns random results that a run accepts, the same for the same seed', async () => {
    const given = new Set<string>();
    for (let seed = 0; seed < 30; seed++) {
      const { requests, resume, shop } = await parkedRun();
      const results = approver.random(seed)(requests);
      expect(approver.random(seed)(requests)).toEqual(results);

      await resume(approver.random(seed));

      const { r, m } = results.toToolCallResults();
      const approved = [r, m].filter((decision) => decision instanceof ToolApproved);
      expect(shop.ran()).toHaveLength(approved.length);
      given.add(JSON.stringify(results));
    }
    expect(given.size).toBeGreaterThan(5);
  });

  it('uses several approvers in order', async () => {
    const { requests } = await parkedRun();
    const decide = approver.inTurn(approver.denyAll(), approver.approveAll());

    const given = [decide(requests), decide(requests), decide(requests)];

    expect(given.map(({ approvals }) => approvals['r'])).toEqual([
      new ToolDenied(),
      new ToolApproved(),
      new ToolApproved(),
    ]);
  });
});

describe('approver with invalid results', () => {
  it.each<[string, TestApprover]>([
    ['with missing results', approver.partial(all, 1)],
    ['for an unknown call', approver.forged(all)],
    ['for an unknown call with a given id', approver.forged(all, '__proto__')],
    ['with two results for each call', approver.duplicated(all)],
    ['of the wrong kind', approver.swapped(all)],
  ])('%s is rejected, and nothing executes', async (_, decide) => {
    const { resume, shop } = await parkedRun();

    await expect(resume(decide)).rejects.toThrow(UserError);

    expect(shop.effects).toEqual([]);
    await resume(all);
    expect(shop.ran()).toEqual(['remove a']);
  });

  it('omits at least one result, and not always the same', async () => {
    const { requests } = await parkedRun();
    const kept = new Set<string>();
    for (let seed = 0; seed < 50; seed++) {
      const { approvals, calls: results } = approver.partial(all, seed)(requests);
      kept.add([...Object.keys(approvals), ...Object.keys(results)].join());
    }

    expect(kept).not.toContain('r,m,p');
    expect(kept.size).toBeGreaterThan(4);
  });

  it('forges an id that none of the requests has', () => {
    const call = { kind: 'tool-call', toolCallId: 'forged', toolName: 'a', args: {} } as const;
    const requests = new DeferredToolRequests({ approvals: [call] });

    const { approvals } = approver.forged(approver.approveAll())(requests);

    expect(Object.keys(approvals)).toEqual(['forged', 'forged-again']);
  });

  it('does not change the results of the wrapped approver', async () => {
    const { requests } = await parkedRun();
    const given = all(requests);
    const before = JSON.stringify(given);
    const base = () => given;

    for (const spoil of [approver.forged, approver.duplicated, approver.swapped]) {
      expect(JSON.stringify(spoil(base)(requests))).not.toBe(before);
    }
    approver.partial(base, 1)(requests);

    expect(JSON.stringify(given)).toBe(before);
  });
});
