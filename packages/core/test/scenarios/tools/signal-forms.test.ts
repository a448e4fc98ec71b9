import {
  Agent,
  ApprovalRequired,
  CallDeferred,
  DeferredToolRequests,
  ModelRetry,
  outputFunction,
  tool,
  ToolApproved,
  ToolDenied,
  ToolFailed,
  ToolReturn,
  UnexpectedModelBehavior,
} from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lastPartsOf, partsOf, sentTo } from '../../support/conversation.ts';
import { expectParked } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';

const OUTPUT = [String, DeferredToolRequests] as const;

/**
 * Positions at which a tool or a capability throws, each with an agent that throws `thrown` there.
 */
const PLACES: readonly (readonly [
  callback: string,
  agent: (thrown: unknown) => Agent<[], typeof OUTPUT>,
])[] = [
  ['the function of a tool', (thrown) => throwing({ execute: () => raise(thrown) })],
  ['the async function of a tool', (thrown) => throwing({ execute: async () => raise(thrown) })],
  [
    'an argument validator',
    (thrown) => throwing({ argsValidator: () => raise(thrown), execute: () => 'Wiped.' }),
  ],
  [
    'a hook around validation',
    (thrown) =>
      throwing(
        { execute: () => 'Wiped.' },
        { name: 'guard', wrapToolValidation: async () => raise(thrown) },
      ),
  ],
];

function raise(thrown: unknown): never {
  throw thrown;
}

function throwing(
  options: Pick<Parameters<typeof tool>[0], 'execute' | 'argsValidator'>,
  capability?: NonNullable<ConstructorParameters<typeof Agent>[0]['capabilities']>[number],
): Agent<[], typeof OUTPUT> {
  const agent = new Agent({
    model: scriptedModel(calls('wipe', {}, { id: 'w' }), says('Done.')),
    tools: [tool({ name: 'wipe', ...options })],
    output: OUTPUT,
    ...(capability && { capabilities: [capability] }),
  });
  // The types of its tools do not matter for a run.
  return agent as unknown as Agent<[], typeof OUTPUT>;
}

describe.each(PLACES)('a signal class that %s throws', (_callback, agentThrowing) => {
  it('defers the call for approval if it is `ApprovalRequired`', async () => {
    const parked = await expectParked(agentThrowing(ApprovalRequired).run('Go.'));

    expect(parked.output.approvals).toMatchObject([{ toolCallId: 'w' }]);
    expect(parked.output.metadata).toEqual({});
  });

  it('defers the call for an external result if it is `CallDeferred`', async () => {
    const parked = await expectParked(agentThrowing(CallDeferred).run('Go.'));

    expect(parked.output.calls).toMatchObject([{ toolCallId: 'w' }]);
  });

  it('sends the call back to the model if it is `ModelRetry`', async () => {
    const { messages } = await agentThrowing(ModelRetry).run('Go.');

    expect(partsOf(messages)[2]).toMatchObject({ kind: 'retry-prompt', toolCallId: 'w' });
  });

  it('fails the call if it is `ToolFailed`', async () => {
    const { messages } = await agentThrowing(ToolFailed).run('Go.');

    expect(partsOf(messages)[2]).toMatchObject({ kind: 'tool-return', outcome: 'failed' });
  });
});

describe('`ModelRetry`, the class, that an output function throws', () => {
  it('sends the output back to the model', async () => {
    let tries = 0;
    const output = outputFunction({
      inputSchema: z.object({}),
      execute: () => {
        tries += 1;
        if (tries === 1) throw ModelRetry;
        return 'Done.';
      },
    });
    const model = scriptedModel(calls('final_result'), calls('final_result'));

    const result = await new Agent({ model, output }).run('Go.');

    expect(result.output).toBe('Done.');
    expect(tries).toBe(2);
  });
});

describe('a tool that returns a signal', () => {
  it.each([[ApprovalRequired], [new ApprovalRequired()], [new CallDeferred()], [ToolFailed]])(
    'ends the run with advice to throw it: %o',
    async (returned) => {
      const wipe = tool({ name: 'wipe', execute: () => returned });
      const agent = new Agent({ model: scriptedModel(calls('wipe')), tools: [wipe] });

      const error = await rejectionOf(agent.run('Go.'));

      expect(String(error)).toContain('Tool `wipe` returned');
      expect(String(error)).toContain('Use `throw` in place of `return`.');
    },
  );
});

describe('signals and decisions take options or the bare value', () => {
  const metadata = { reason: 'protected' };

  it.each([ApprovalRequired, CallDeferred])('$name takes metadata in both forms', (Signal) => {
    expect(new Signal({ metadata }).metadata).toEqual(metadata);
    expect(new Signal(metadata).metadata).toEqual(metadata);
    expect(new Signal({ metadata: undefined }).metadata).toBeUndefined();
    expect(new Signal({}).metadata).toEqual({});
    expect(new Signal().metadata).toBeUndefined();
  });

  it('does not nest the metadata of the options form', async () => {
    const wipe = tool({
      name: 'wipe',
      execute() {
        throw new ApprovalRequired({ metadata });
      },
    });
    const model = scriptedModel(calls('wipe', {}, { id: 'w' }));

    const parked = await expectParked(
      new Agent({ model, tools: [wipe], output: OUTPUT }).run('Go.'),
    );

    expect(parked.output.metadata['w']).toEqual(metadata);
  });

  it('ToolDenied takes a message in both forms', () => {
    expect(new ToolDenied('No.').message).toBe('No.');
    expect(new ToolDenied({ message: 'No.' }).message).toBe('No.');
    expect(new ToolDenied({}).message).toBe(new ToolDenied().message);
  });

  it('ToolReturn takes options or a value', () => {
    expect(new ToolReturn({ returnValue: 1, metadata })).toMatchObject({
      returnValue: 1,
      metadata,
    });
    expect(new ToolReturn({ returnValue: undefined }).returnValue).toBeUndefined();
    for (const value of ['text', 5, null, [1], { ok: true }, new Date(0)]) {
      expect(new ToolReturn(value).returnValue).toBe(value);
    }
  });

  it('ToolApproved takes options only', () => {
    expect(new ToolApproved({ overrideArgs: { path: 'b' } }).overrideArgs).toEqual({ path: 'b' });
    expect(new ToolApproved().overrideArgs).toBeUndefined();
  });
});

describe('a handler that leaves calls pending', () => {
  it('is named together with the tool and the calls that already have results', async () => {
    const executed: string[] = [];
    const read = tool({ name: 'read', execute: () => executed.push('read') });
    const wipe = tool({
      name: 'wipe',
      requiresApproval: true,
      execute: () => executed.push('wipe'),
    });
    const model = scriptedModel(
      responds(calls('read', {}, { id: 'r' }), calls('wipe', {}, { id: 'w' })),
    );
    const agent = new Agent({ model, tools: [read, wipe], deferredToolHandler: () => undefined });

    const error = await rejectionOf(agent.run('Go.'));

    expect(String(error)).toContain(
      "`deferredToolHandler` returned no decision or result for 'w' (wipe).",
    );
    expect(String(error)).toContain("already have results: 'r' (read).");
    expect(String(error)).not.toContain('Nothing was');
    expect(executed).toEqual(['read']);
  });

  it('may do so as a capability', async () => {
    const wipe = tool({ name: 'wipe', requiresApproval: true, execute: () => 'Wiped.' });
    const capabilities = [handleDeferredToolCalls(() => undefined)];
    const model = scriptedModel(calls('wipe'));

    await expectParked(
      new Agent({ model, tools: [wipe], capabilities, output: OUTPUT }).run('Go.'),
    );
  });
});

describe('newcomer 4: a tool that fails more often than allowed', () => {
  it('reports it in complete sentences', async () => {
    const wipe = tool({
      name: 'wipe',
      inputSchema: z.object({ path: z.string() }),
      execute: () => 'Wiped.',
    });
    const model = scriptedModel(calls('wipe', {}), calls('wipe', {}));

    const error = await rejectionOf(new Agent({ model, tools: [wipe] }).run('Go.'));

    expect(error).toBeInstanceOf(UnexpectedModelBehavior);
    expect(String(error)).toMatch(
      /Tool `wipe` failed 2 times, and 1 retry is allowed\. Last problem: path: .*[^.]\. Raise `maxRetries`/,
    );
    expect(lastPartsOf(sentTo(model, 1))).toMatchObject([{ kind: 'retry-prompt' }]);
  });

  it('reports that no retry is allowed', async () => {
    const wipe = tool({
      name: 'wipe',
      maxRetries: 0,
      execute: () => raise(new ModelRetry('Busy')),
    });

    const error = await rejectionOf(
      new Agent({ model: scriptedModel(calls('wipe')), tools: [wipe] }).run('Go.'),
    );

    expect(String(error)).toContain(
      'Tool `wipe` failed once, and no retries are allowed. Last problem: Busy. Raise',
    );
  });
});
