import {
  type DeferredToolResults,
  ModelRetry,
  ToolApproved,
  ToolDenied,
  ToolReturn,
  type ToolReturnPart,
} from 'holdpoint';
import { says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentIn } from '../../support/deferral.ts';
import { forge, parkedRun } from '../../support/hostile.ts';
import { rejectionOf } from '../../support/latch.ts';
import { untyped } from '../../support/untyped.ts';

/** A parked run with `remove` (id `r`) and `paint` (id `p`), and each way to resume it. */
async function resumable() {
  const { shop, messages } = await parkedRun();
  const agent = agentIn(shop, [says('Done.')]);
  const options = (deferredToolResults: DeferredToolResults) => ({
    messageHistory: messages,
    deferredToolResults,
  });
  const ways = {
    resume: (results: DeferredToolResults) => agent.resume({ messages }, results),
    run: (results: DeferredToolResults) => agent.run(undefined, options(results)),
    stream: (results: DeferredToolResults) => {
      const stream = agent.stream(undefined, options(results));
      return () => stream.result;
    },
    iter: (results: DeferredToolResults) => {
      const steps = agent.iter(undefined, options(results));
      return async () => {
        for await (const _ of steps);
        return steps.result;
      };
    },
  };
  return { shop, agent, messages, ways };
}

type WayName = keyof Awaited<ReturnType<typeof resumable>>['ways'];

/**
 * Resumes a parked run, changes the decisions in the same tick, and returns the results that the
 * model received.
 */
async function resumeAndChange(
  name: WayName,
  results: DeferredToolResults,
  change: () => void,
): Promise<{ ran: string[]; parts: readonly Partial<ToolReturnPart>[] }> {
  const { shop, ways } = await resumable();
  const resumed = ways[name](results);
  change();
  const result = await (typeof resumed === 'function' ? resumed() : resumed);
  return {
    ran: shop.ran(),
    parts: (result?.messages.at(-2)?.parts ?? []) as readonly Partial<ToolReturnPart>[],
  };
}

describe.each<WayName>(['resume', 'run', 'stream', 'iter'])(
  '%s() copies the decisions at the call',
  (name) => {
    it('a denial that is changed to an approval in the same tick stays a denial', async () => {
      const results = forge({ approvals: { r: false }, calls: { p: 1 } });

      const { ran, parts } = await resumeAndChange(name, results, () => {
        results.approvals['r'] = true;
      });

      expect(ran).toEqual([]);
      expect(parts[0]).toMatchObject({ toolCallId: 'r', outcome: 'denied' });
    });

    it('edited arguments that are changed in the same tick execute as they were given', async () => {
      const overrideArgs = { path: 'b' };
      const approved = new ToolApproved({ overrideArgs });
      const results = forge({ approvals: { r: approved }, calls: { p: 1 } });

      const { ran } = await resumeAndChange(name, results, () => {
        overrideArgs.path = '/';
        Object.assign(approved, { overrideArgs: { path: '/etc' } });
      });

      expect(ran).toEqual(['remove b']);
    });

    it.each<[string, () => ChangedResult]>([
      ['a result', plainResult],
      ['a ToolReturn', toolReturn],
      ['a ModelRetry', modelRetry],
    ])('%s that is changed in the same tick is the one that was given', async (_, given) => {
      const { denied, result, content, change } = given();
      const results = forge({ approvals: { r: denied }, calls: { p: result } });

      const { parts } = await resumeAndChange(name, results, change);

      expect(parts.map((part) => part.content)).toEqual(['No.', content]);
    });
  },
);

/**
 * A denial and a result that `change` changes, and the content that the model must receive for the
 * result.
 */
interface ChangedResult {
  readonly denied: ToolDenied;
  readonly result: unknown;
  readonly content: unknown;
  readonly change: () => void;
}

function plainResult() {
  const result = { colour: 'red' };
  const denied = new ToolDenied('No.');
  const change = () => {
    result.colour = 'blue';
    Object.assign(denied, { message: 'Yes.' });
  };
  return { denied, result, content: { colour: 'red' }, change };
}

function toolReturn() {
  const value = { colour: 'red' };
  const result = new ToolReturn({ returnValue: value });
  const change = () => {
    value.colour = 'blue';
    Object.assign(result, { returnValue: 'blue' });
  };
  return { denied: new ToolDenied('No.'), result, content: { colour: 'red' }, change };
}

function modelRetry() {
  const result = new ModelRetry('Use red.');
  const change = () => {
    result.message = 'Use blue.';
  };
  return { denied: new ToolDenied('No.'), result, content: 'Use red.', change };
}

describe('validated decisions', () => {
  it('cannot be changed through the step that iter() yields', async () => {
    const { shop, agent, messages } = await resumable();
    const steps = agent.iter(undefined, {
      messageHistory: messages,
      deferredToolResults: forge({ approvals: { r: false }, calls: { p: 1 } }),
    });

    const error = await rejectionOf(
      (async () => {
        for await (const step of steps) {
          if (step.kind === 'apply-results') step.results.approvals['r'] = true;
        }
      })(),
    );

    expect(error).toBeInstanceOf(TypeError);
    expect(shop.ran()).toEqual([]);
  });

  it('of a handler cannot be changed by an observer of `deferred-results`', async () => {
    const { shop, messages } = await parkedRun();
    const agent = agentIn(shop, [says('Done.')], {
      deferredToolHandler: () => forge({ approvals: { r: false }, calls: { p: 1 } }),
    });

    const error = await rejectionOf(
      agent.run(undefined, {
        messageHistory: messages,
        onEvent(event) {
          if (event.kind === 'deferred-results') event.results.approvals['r'] = true;
        },
      }),
    );

    expect(error).toBeInstanceOf(TypeError);
    expect(shop.ran()).toEqual([]);
  });

  it('are those that execute if a getter returns another value each time', async () => {
    const { shop, ways } = await resumable();
    const approved = new ToolApproved();
    let reads = 0;
    Object.defineProperty(approved, 'overrideArgs', {
      get: () => (reads++ === 0 ? { path: 'b' } : ['not', 'an', 'object']),
    });

    await ways.resume(forge({ approvals: { r: approved }, calls: { p: 1 } }));

    expect(shop.ran()).toEqual(['remove b']);
    expect(reads).toBe(1);
  });

  it('are rejected if a value had no JSON form at the call, also if it gets one in the same tick', async () => {
    const { shop, ways } = await resumable();
    const overrideArgs: Record<string, unknown> = { path: 1n };
    const approved = new ToolApproved({ overrideArgs: untyped(overrideArgs) });

    const resumed = ways.resume(forge({ approvals: { r: approved }, calls: { p: 1 } }));
    overrideArgs['path'] = '/';

    expect(String(await rejectionOf(resumed))).toContain("'r'");
    expect(shop.ran()).toEqual([]);
  });
});
