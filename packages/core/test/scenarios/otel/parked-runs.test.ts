import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  Agent,
  CallDeferred,
  DeferredToolRequests,
  DeferredToolResults,
  messageCodec,
  ToolApproved,
  tool,
} from 'holdpoint';
import { isDeferral } from 'holdpoint/capabilities';
import { parkedTraceparent, readStepRecord } from 'holdpoint/messages';
import { otel, type OtelOptions } from 'holdpoint/otel';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { recordSpans } from '../../support/spans.ts';

const OUTPUT = [String, DeferredToolRequests] as const;

const remove = tool({
  name: 'remove',
  inputSchema: z.object({ path: z.string() }),
  requiresApproval: true,
  execute: ({ path }) => `removed ${path}`,
});

function janitor(options: OtelOptions) {
  return new Agent({
    name: 'janitor',
    model: scriptedModel(calls('remove', { path: 'a' }, { id: 'r1' }), says('Done.')),
    tools: [remove],
    output: OUTPUT,
    capabilities: [otel(options)],
  });
}

/** Returns the messages as another process reads them. */
function stored<Parked extends { readonly messages: Parameters<typeof messageCodec.stringify>[0] }>(
  parked: Parked,
) {
  return { messages: messageCodec.parse(messageCodec.stringify(parked.messages)) };
}

describe('a parked run', () => {
  it('ends its span without an error, with an event for each pending call', async () => {
    const { tracer, span } = recordSpans();
    const ask = tool({
      name: 'ask',
      execute() {
        throw new CallDeferred();
      },
    });
    const agent = new Agent({
      name: 'janitor',
      model: scriptedModel(
        responds(calls('remove', { path: 'a' }, { id: 'r1' }), calls('ask', {}, { id: 'a1' })),
      ),
      tools: [remove, ask],
      output: OUTPUT,
      capabilities: [otel({ tracer })],
    });

    await expectParked(agent.run('Go.'));

    const run = span('invoke_agent janitor');
    expect(run.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(run.attributes['holdpoint.run.status']).toBe('parked');
    const opened = run.events.map(({ name, attributes }) => [name, attributes]);
    expect(opened).toHaveLength(2);
    for (const [toolName, id, kind] of [
      ['remove', 'r1', 'approval'],
      ['ask', 'a1', 'external'],
    ]) {
      expect(opened).toContainEqual([
        'holdpoint.hold.opened',
        { 'gen_ai.tool.name': toolName, 'gen_ai.tool.call.id': id, 'holdpoint.hold.kind': kind },
      ]);
    }
    const call = span('execute_tool ask');
    expect(call.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(call.attributes['holdpoint.tool.outcome']).toBe('deferred');
  });

  it('stores its trace context in the step record, which survives storage', async () => {
    const { tracer, span } = recordSpans();

    const parked = await expectParked(janitor({ tracer }).run('Go.'));

    const { traceId, spanId } = span('invoke_agent janitor').spanContext();
    expect(parkedTraceparent(parked.messages)).toBe(`00-${traceId}-${spanId}-01`);
    expect(parkedTraceparent(stored(parked).messages)).toBe(`00-${traceId}-${spanId}-01`);
  });

  it('has the same record without the capability, and without an SDK', async () => {
    const agents = [
      new Agent({
        model: scriptedModel(calls('remove', { path: 'a' }, { id: 'r1' })),
        tools: [remove],
        output: OUTPUT,
      }),
      janitor({}),
    ];

    for (const agent of agents) {
      const parked = await expectParked(agent.run('Go.'));
      expect(JSON.stringify(parked.messages)).not.toContain('traceparent');
      expect(readStepRecord(parked.messages)?.open.size).toBe(1);
      expect(parkedTraceparent(parked.messages)).toBeUndefined();
    }
  });

  it('is resumed in another trace with a link to its span', async () => {
    const { tracer, spans } = recordSpans();
    const agent = janitor({ tracer });
    const parked = await expectParked(agent.run('Go.'));

    await agent.resume(stored(parked), parked.output.buildResults({ approveAll: true }));

    const [first, , second, call] = spans();
    expect(call?.name).toBe('execute_tool remove');
    expect(second?.parentSpanContext).toBeUndefined();
    expect(second?.spanContext().traceId).not.toBe(first?.spanContext().traceId);
    expect(second?.links).toMatchObject([
      {
        context: {
          traceId: first?.spanContext().traceId,
          spanId: first?.spanContext().spanId,
        },
        attributes: { 'holdpoint.link': 'resumes' },
      },
    ]);
  });

  it("is resumed in the same trace with `resume: 'same-trace'`", async () => {
    const { tracer, spans, tree } = recordSpans();
    const agent = janitor({ tracer, resume: 'same-trace' });
    const parked = await expectParked(agent.run('Go.'));
    const caller = tracer.startSpan('POST /decisions');

    await context.with(trace.setSpan(context.active(), caller), () =>
      agent.resume(stored(parked), parked.output.buildResults({ approveAll: true })),
    );

    expect(tree()).toEqual([
      'invoke_agent janitor',
      '  chat scripted',
      '  invoke_agent janitor',
      '    execute_tool remove',
      '    chat scripted',
    ]);
    expect(spans()[2]?.links).toEqual([]);
  });

  it.each(['', 'nonsense', `ff-${'1'.repeat(32)}-${'2'.repeat(16)}-01`])(
    'is resumed without a link if its trace context is %j',
    async (traceparent) => {
      const { tracer, spans } = recordSpans();
      const agent = janitor({ tracer });
      const parked = await expectParked(agent.run('Go.'));
      const text = messageCodec.stringify(parked.messages);
      const known = parkedTraceparent(parked.messages) ?? '?';
      const messages = messageCodec.parse(text.replaceAll(known, traceparent));

      await agent.resume({ messages }, parked.output.buildResults({ approveAll: true }));

      expect(spans()[2]?.links).toEqual([]);
    },
  );
});

describe('an approved call', () => {
  it('has the facts about its approval, without the people', async () => {
    const { tracer, spans, span } = recordSpans();
    const agent = janitor({ tracer, includeContent: true });
    const parked = await expectParked(agent.run('Go.', { durability: { digests: true } }));
    const { digest } = parked.output.get('r1');
    const by = [
      { id: 'ada@example.com', name: 'Ada Lovelace' },
      { id: 'grace@example.com', name: 'Grace Hopper' },
    ];
    const results = new DeferredToolResults({
      approvals: {
        r1: new ToolApproved({ approval: { by, digest }, reason: 'Ada agrees.' }),
      },
      ...(digest !== undefined && { digests: { r1: digest } }),
    });

    await agent.resume(stored(parked), results);

    expect(span('execute_tool remove').attributes).toMatchObject({
      'holdpoint.approval.outcome': 'approved',
      'holdpoint.approval.wait': expect.any(Number),
      'holdpoint.approval.votes': 2,
      'holdpoint.approval.digest': digest,
    });
    const recorded = spans().map(({ attributes, events, links }) => [attributes, events, links]);
    expect(JSON.stringify(recorded)).not.toMatch(/lovelace|hopper|@example|agrees/i);
  });

  it('is marked if the approver edited its arguments', async () => {
    const { tracer, span } = recordSpans();
    const agent = janitor({ tracer });
    const parked = await expectParked(agent.run('Go.'));
    const edit = parked.output.get('r1').approve({ args: { path: 'b' } });

    await agent.resume(stored(parked), parked.output.buildResults([edit]));

    expect(span('execute_tool remove').attributes).toMatchObject({
      'holdpoint.approval.outcome': 'edited',
    });
  });

  it('has the time that a handler took to decide', async () => {
    const { tracer, span, tree } = recordSpans();

    await janitor({ tracer }).run('Go.', {
      async deferredToolHandler(requests) {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return requests.buildResults({ approveAll: true });
      },
    });

    expect(tree()).toHaveLength(4);
    const wait = span('execute_tool remove').attributes['holdpoint.approval.wait'];
    expect(wait).toBeGreaterThanOrEqual(0.02);
    expect(span('invoke_agent janitor').events).toEqual([]);
  });
});

describe('a sub-agent', () => {
  const lead = (options: OtelOptions, sub: ReturnType<typeof janitor>) =>
    new Agent({
      name: 'lead',
      model: scriptedModel(
        calls('ask_janitor', { prompt: 'Tidy.' }, { id: 'j1' }),
        says('All done.'),
      ),
      tools: [sub.asTool({ name: 'ask_janitor' })],
      output: OUTPUT,
      capabilities: [otel(options)],
    });

  it('is traced inside of its call when it parks and when it resumes, and none is an error', async () => {
    const { tracer, tree, spans } = recordSpans();
    const agent = lead({ tracer }, janitor({ tracer }));

    const parked = await expectParked(agent.run('Go.'));
    await agent.resume(stored(parked), parked.output.buildResults({ approveAll: true }));

    expect(tree()).toEqual([
      'invoke_agent lead',
      '  chat scripted',
      '  execute_tool ask_janitor',
      '    invoke_agent janitor',
      '      chat scripted',
      'invoke_agent lead',
      '  execute_tool ask_janitor',
      '    invoke_agent janitor',
      '      execute_tool remove',
      '      chat scripted',
      '  chat scripted',
    ]);
    const linked = spans().map(({ links }) => links[0]?.context.spanId);
    expect(linked[5]).toBe(spans()[0]?.spanContext().spanId);
    expect(linked[7]).toBe(spans()[3]?.spanContext().spanId);
    expect(spans().filter(({ status }) => status.code !== SpanStatusCode.UNSET)).toEqual([]);
    const opened = spans().flatMap(({ name, events }) => events.map(() => name));
    expect(opened).toEqual(['invoke_agent janitor']);
  });

  it('inherits the capability, and its own one replaces it', async () => {
    const [outer, own] = [recordSpans(), recordSpans()];
    const plain = new Agent({ name: 'plain', model: scriptedModel(says('Yes.')) });
    const traced = new Agent({
      name: 'traced',
      model: scriptedModel(says('Yes.')),
      capabilities: [otel({ tracer: own.tracer })],
    });
    const agent = new Agent({
      name: 'lead',
      model: scriptedModel(
        responds(calls('plain', { prompt: '' }), calls('traced', { prompt: '' })),
        says('Done.'),
      ),
      tools: [plain.asTool({}), traced.asTool({})],
      capabilities: [otel({ tracer: outer.tracer })],
    });

    await agent.run('Go.');

    const names = (recorded: typeof own) => recorded.spans().map(({ name }) => name);
    expect(names(outer)).toContain('invoke_agent plain');
    expect(names(outer)).not.toContain('invoke_agent traced');
    expect(names(own)).toEqual(['invoke_agent traced', 'chat scripted']);
  });

  it('adds its tokens to those of the run', async () => {
    const { tracer, span } = recordSpans();
    const usage = { inputTokens: 10, outputTokens: 1 };
    const sub = new Agent({ name: 'sub', model: scriptedModel(responds(says('Yes.'), { usage })) });
    const agent = new Agent({
      name: 'lead',
      model: scriptedModel(
        responds(calls('sub', { prompt: '' }), { usage }),
        responds(says('Done.'), { usage }),
      ),
      tools: [sub.asTool({})],
      capabilities: [otel({ tracer })],
    });

    await agent.run('Go.');

    const tokens = (name: string) => span(name).attributes['gen_ai.aggregated_usage.input_tokens'];
    expect(tokens('invoke_agent sub')).toBe(10);
    expect(tokens('invoke_agent lead')).toBe(30);
  });

  it('that parks throws a signal that hooks recognize as a deferral', async () => {
    const thrown: unknown[] = [];
    const sub = janitor({});
    const agent = new Agent({
      model: scriptedModel(calls('sub', { prompt: '' })),
      tools: [sub.asTool({ name: 'sub' })],
      output: OUTPUT,
      capabilities: [
        {
          name: 'observes',
          async wrapToolExecution(_call, next) {
            try {
              return await next();
            } catch (error) {
              thrown.push(error);
              throw error;
            }
          },
        },
      ],
    });

    await expectParked(agent.run('Go.'));

    expect(thrown.map(isDeferral)).toEqual([true]);
    expect([CallDeferred, new CallDeferred()].map(isDeferral)).toEqual([true, true]);
    expect([new Error('No.'), undefined].map(isDeferral)).toEqual([false, false]);
  });
});
