import {
  Agent,
  type Capability,
  ApprovalRequired,
  DeferredToolRequests,
  type DeferredToolHandler,
  FallbackModelsError,
  fallbackModel,
  MemoryLedger,
  type Model,
  ModelError,
  ModelRetry,
  type Tool,
  ToolFailed,
  tool,
  UserError,
} from 'holdpoint';
import { fromAiSdkTool } from 'holdpoint/ai-sdk';
import { otel } from 'holdpoint/otel';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { fakeLanguageModel } from '../../support/fake-language-model.ts';
import { hostileValues } from '../../support/hostile-thrown-values.ts';
import { latch, rejectionOf } from '../../support/latch.ts';
import { recordSpans } from '../../support/spans.ts';
import { following } from '../../support/sub-agents.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { expectNoUnhandledRejections } from '../../support/unhandled-rejections.ts';
import { untyped } from '../../support/untyped.ts';

expectNoUnhandledRejections();

const MAY_PARK = [String, DeferredToolRequests] as const;
const REPLAY = { durability: { onAlreadyResumed: 'replay', onBusy: 'error' } } as const;

/** Records exceptions by their name, message and stack, and contents as text. */
const traced = otel({ tracer: recordSpans().tracer, includeContent: true });

/** Parks a run on a call of `pay` with a ledger, and returns a function that resumes it with an approval. */
async function parkWithLedger(
  pay: Tool,
  options: { readonly capabilities?: readonly Capability[] } = {},
) {
  const agent = new Agent<readonly Tool[], typeof MAY_PARK>({
    model: following(calls('pay', {}, { id: 'p' })),
    tools: [pay],
    output: MAY_PARK,
    durability: { ledger: new MemoryLedger() },
    ...options,
  });
  const parked = await expectParked(agent.run('Go.'));
  const approved = parked.output.buildResults({ approveAll: true });
  return (replay: typeof REPLAY | Record<string, never> = {}) =>
    agent.resume(parked, approved, replay);
}

/** Resumes a run again and returns the reason why its call is in doubt; fails if the call is busy. */
async function doubtOf(
  resume: Awaited<ReturnType<typeof parkWithLedger>>,
): Promise<string | undefined> {
  const { output } = await expectParked(resume(REPLAY));
  return output.get('p').details.inDoubt?.reason;
}

describe.each(hostileValues)('$shape', ({ value }) => {
  const throws = (): never => {
    throw value;
  };
  const rejects = async (): Promise<never> => throws();

  /** Expects that a run rejects with the thrown value itself. */
  async function expectSame(run: Promise<unknown>): Promise<void> {
    // The value is not returned, because an async function cannot return it and vitest cannot print
    // it.
    const isSame = run.then(
      () => false,
      (reason: unknown) => Object.is(reason, value),
    );
    expect(await isSame).toBe(true);
  }

  describe('thrown by a tool', () => {
    it.each([
      ['at once', throws],
      ['later', rejects],
    ])('%s ends the run with it', async (_, execute) => {
      const agent = new Agent({
        model: following(calls('pay')),
        tools: [tool({ name: 'pay', execute })],
        capabilities: [traced],
      });

      await expectSame(agent.run('Go.'));
    });

    it('ends the run with it, and the call is in doubt at once with a ledger', async () => {
      const pay = tool({ name: 'pay', requiresApproval: true, execute: rejects });
      const resume = await parkWithLedger(pay);

      await expectSame(resume());

      expect(await doubtOf(resume)).toEqual(expect.any(String));
    });

    it('with a tracer and a ledger ends the run with it, and the call is in doubt at once', async () => {
      const pay = tool({ name: 'pay', requiresApproval: true, execute: rejects });
      const resume = await parkWithLedger(pay, { capabilities: [traced] });

      await expectSame(resume());

      expect(await doubtOf(resume)).toEqual(expect.any(String));
    });

    it('of the AI SDK fails the call', async () => {
      const pay = fromAiSdkTool({ inputSchema: z.object({}), execute: rejects }, { name: 'pay' });
      const agent = new Agent({ model: following(calls('pay')), tools: [pay] });

      const { messages } = await agent.run('Go.');

      expect(resultsIn(messages)).toEqual([expect.any(String)]);
    });
  });

  describe('as the reason of an abort', () => {
    it.each([
      ['without a ledger', () => undefined],
      ['with a ledger', () => new MemoryLedger()],
    ])('reaches all three executing tools and ends the run, %s', async (_, makeLedger) => {
      const ledger = makeLedger();
      const started = latch();
      const reasons: unknown[] = [];
      const ended = [latch(), latch(), latch()];
      let executing = 0;
      const wait = tool({
        name: 'wait',
        once: ledger !== undefined,
        async execute(_args, ctx) {
          const own = ended[executing++];
          ctx.signal.addEventListener('abort', () => {
            reasons.push(ctx.signal.reason);
            own?.open();
          });
          if (executing === 3) started.open();
          await own?.opened;
        },
      });
      const agent = new Agent({
        model: following(responds(calls('wait'), calls('wait'), calls('wait'))),
        tools: [wait],
        ...(ledger && { durability: { ledger } }),
      });
      const abort = new AbortController();

      const run = agent.run('Go.', { signal: abort.signal });
      await started.opened;
      abort.abort(value);

      await expectSame(run);
      await Promise.all(ended.map(({ opened }) => opened));
      expect(reasons.map((reason) => Object.is(reason, value))).toEqual([true, true, true]);
    });
  });

  describe('thrown by a part of the run', () => {
    const pay = (options: Record<string, unknown> = {}) =>
      tool({ name: 'pay', execute: () => 'paid', ...options });

    it.each<[string, () => { tools: readonly Tool[]; handler?: DeferredToolHandler }]>([
      ['a validator', () => ({ tools: [pay({ argsValidator: rejects })] })],
      ['an approval policy', () => ({ tools: [pay({ requiresApproval: throws })] })],
      ['a preview', () => ({ tools: [pay({ requiresApproval: true, preview: rejects })] })],
      ['a preview at once', () => ({ tools: [pay({ requiresApproval: true, preview: throws })] })],
      ['a handler', () => ({ tools: [pay({ requiresApproval: true })], handler: rejects })],
    ])('%s ends the run with it', async (_, make) => {
      const { tools, handler } = make();
      const agent = new Agent({
        model: following(calls('pay')),
        tools,
        ...(handler && { deferredToolHandler: handler }),
        output: MAY_PARK,
        capabilities: [traced],
      });

      await expectSame(agent.run('Go.'));
    });

    it.each<[string, Omit<Capability, 'name'>]>([
      ['wrapRun', { wrapRun: rejects }],
      ['wrapModelRequest', { wrapModelRequest: rejects }],
      ['wrapToolValidation', { wrapToolValidation: rejects }],
      ['wrapToolExecution', { wrapToolExecution: rejects }],
      ['wrapOutput', { wrapOutput: rejects }],
      ['onEvent', { onEvent: rejects }],
      ['handleDeferredToolCalls', { handleDeferredToolCalls: rejects }],
    ])('the hook %s ends the run with it', async (_, hooks) => {
      const agent = new Agent({
        model: following(responds(calls('pay'), calls('sign')), says('Done.')),
        tools: [pay(), tool({ name: 'sign', requiresApproval: true, execute: () => 'signed' })],
        output: MAY_PARK,
        // `wrapOutput` is reached if the run finishes.
        ...('wrapOutput' in hooks && {
          deferredToolHandler: (requests) => requests.buildResults({ approveAll: true }),
        }),
        capabilities: [traced, { name: 'hostile', ...hooks }],
      });

      await expectSame(agent.run('Go.'));
    });

    it('a model ends the run with it', async () => {
      const model: Model = { name: 'custom', system: 'test', request: rejects };

      await expectSame(new Agent({ model, capabilities: [traced] }).run('Go.'));
    });

    it('an AI SDK model ends the run with it', async () => {
      const model = fakeLanguageModel({ throws: value });

      await expectSame(new Agent({ model }).run('Go.'));
    });

    it('the stream of an AI SDK model ends the run with a model error', async () => {
      const pieces = [
        { type: 'text-start', id: '1' },
        { type: 'error', error: value },
      ];
      const stream = new Agent({ model: fakeLanguageModel({ pieces }) }).stream('Go.');

      expect(await rejectionOf(stream.result)).toBeInstanceOf(ModelError);
    });

    it('every model of a fallback ends the run with an error that lists them', async () => {
      const model: Model = { name: 'custom', system: 'test', request: rejects };
      const agent = new Agent({ model: fallbackModel(model, model, { when: () => true }) });

      expect(await rejectionOf(agent.run('Go.'))).toBeInstanceOf(FallbackModelsError);
    });

    it('a model whose fallback decides by the error ends the run with it', async () => {
      const model: Model = { name: 'custom', system: 'test', request: rejects };

      await expectSame(new Agent({ model: fallbackModel(model, model) }).run('Go.'));
    });

    it('`toJSON` of a result ends the run with an error', async () => {
      const result = { toJSON: throws };
      const agent = new Agent({
        model: following(calls('pay')),
        tools: [tool({ name: 'pay', execute: () => result })],
      });

      expect(await rejectionOf(agent.run('Go.'))).toBeInstanceOf(UserError);
    });
  });
});

describe.each([ModelRetry, ToolFailed])('a %o whose message cannot be read', (Signal) => {
  it('still steers the run', async () => {
    const signal = Object.defineProperty(new Signal('Wrong.'), 'message', {
      get: () => {
        throw new RangeError('This value cannot be read.');
      },
    });
    const agent = new Agent({
      model: following(calls('pay')),
      tools: [tool({ name: 'pay', execute: () => Promise.reject(signal) })],
    });

    const { output, messages } = await agent.run('Go.');

    expect(output).toBe('Done.');
    expect(resultsIn(messages)).toHaveLength(1);
  });
});

describe('with a ledger the call is in doubt, not busy,', () => {
  it('if a tool throws a signal with metadata that has no JSON form', async () => {
    const pay = tool({
      name: 'pay',
      requiresApproval: true,
      execute: () => Promise.reject(new ApprovalRequired(untyped({ amount: 1n }))),
    });
    const resume = await parkWithLedger(pay);

    expect(await rejectionOf(resume())).toBeInstanceOf(UserError);

    expect(await doubtOf(resume)).toEqual(expect.any(String));
  });
});
