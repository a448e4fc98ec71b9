import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { Agent, ModelRetry, type RunContext, ToolFailed, tool } from 'holdpoint';
import { otel } from 'holdpoint/otel';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { latch, never, rejectionOf } from '../../support/latch.ts';
import { recordSpans } from '../../support/spans.ts';

const double = tool({
  name: 'double',
  inputSchema: z.object({ n: z.number() }),
  execute: ({ n }) => ({ doubled: n * 2 }),
});

const script = () =>
  scriptedModel(
    responds(calls('double', { n: 2 }), {
      usage: { inputTokens: 5, outputTokens: 7 },
      providerResponseId: 'resp-1',
      finishReason: 'tool_call',
    }),
    responds(says('The secret is 4.'), { usage: { inputTokens: 11, outputTokens: 3 } }),
  );

describe('spans of a run', () => {
  it('form a tree with the spans that tools and callers create', async () => {
    const { tracer, tree, spans } = recordSpans();
    const work = tool({
      name: 'work',
      async execute() {
        await Promise.resolve();
        tracer.startSpan('query').end();
      },
    });
    const agent = new Agent({
      name: 'janitor',
      model: scriptedModel(calls('work'), says('Done.')),
      tools: [work],
      capabilities: [otel({ tracer })],
    });
    const caller = tracer.startSpan('POST /chat');

    await context.with(trace.setSpan(context.active(), caller), () => agent.run('Go.'));
    caller.end();

    expect(tree()).toEqual([
      'POST /chat',
      '  invoke_agent janitor',
      '    chat scripted',
      '    execute_tool work',
      '      query',
      '    chat scripted',
    ]);
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  it('are in one trace without a caller, in run, iter and stream', async () => {
    const { tracer, tree, spans } = recordSpans();
    const make = () =>
      new Agent({ model: script(), tools: [double], capabilities: [otel({ tracer })] });

    await make().run('Go.');
    for await (const _ of make().iter('Go.'));
    await make().stream('Go.').result;

    const run = ['invoke_agent', '  chat scripted', '  execute_tool double', '  chat scripted'];
    expect(tree()).toEqual([...run, ...run, ...run]);
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(3);
  });

  it('have the attributes of the GenAI conventions, without content', async () => {
    const { tracer, spans } = recordSpans();
    const agent = new Agent({
      name: 'janitor',
      model: script(),
      tools: [double],
      modelSettings: { temperature: 0.5, maxTokens: 100, stopSequences: ['END'] },
      capabilities: [otel({ tracer })],
    });

    await agent.run('Double my secret 2.', { runId: 'run-1', conversationId: 'talk-1' });

    const [run, chat, call] = spans();
    expect(run).toMatchObject({ kind: SpanKind.INTERNAL, status: { code: SpanStatusCode.UNSET } });
    expect(run?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'janitor',
      'gen_ai.conversation.id': 'talk-1',
      'holdpoint.run.id': 'run-1',
      'holdpoint.run.status': 'finished',
      'gen_ai.aggregated_usage.input_tokens': 16,
      'gen_ai.aggregated_usage.output_tokens': 10,
    });
    expect(chat).toMatchObject({ kind: SpanKind.CLIENT, status: { code: SpanStatusCode.UNSET } });
    expect(chat?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'test',
      'gen_ai.request.model': 'scripted',
      'gen_ai.conversation.id': 'talk-1',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.max_tokens': 100,
      'gen_ai.request.stop_sequences': ['END'],
      'gen_ai.response.id': 'resp-1',
      'gen_ai.response.model': 'scripted',
      'gen_ai.response.finish_reasons': ['tool_call'],
      'gen_ai.usage.input_tokens': 5,
      'gen_ai.usage.output_tokens': 7,
    });
    expect(call).toMatchObject({ kind: SpanKind.INTERNAL });
    expect(call?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'double',
      'gen_ai.tool.call.id': 'call-1',
      'gen_ai.tool.type': 'function',
      'holdpoint.tool.outcome': 'success',
    });
    const recorded = spans().map(({ attributes, events }) => [attributes, events]);
    expect(JSON.stringify(recorded)).not.toContain('secret');
  });

  it('have content if `includeContent` is set', async () => {
    const { tracer, spans } = recordSpans();
    const agent = new Agent({
      model: script(),
      tools: [double],
      instructions: 'Be brief.',
      capabilities: [otel({ tracer, includeContent: true })],
    });

    await agent.run('Double 2.');

    const [, first, call, second] = spans();
    const read = (span: typeof first, name: string) =>
      JSON.parse(String(span?.attributes[`gen_ai.${name}`]));
    expect(read(first, 'system_instructions')).toEqual([{ type: 'text', content: 'Be brief.' }]);
    expect(read(first, 'tool.definitions')).toMatchObject([{ type: 'function', name: 'double' }]);
    expect(read(call, 'tool.call.arguments')).toEqual({ n: 2 });
    expect(read(call, 'tool.call.result')).toEqual({ doubled: 4 });
    const toolCall = { type: 'tool_call', id: 'call-1', name: 'double', arguments: { n: 2 } };
    expect(read(first, 'output.messages')).toEqual([
      { role: 'assistant', parts: [toolCall], finish_reason: 'tool_call' },
    ]);
    expect(read(second, 'input.messages')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'Double 2.' }] },
      { role: 'assistant', parts: [toolCall] },
      {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: 'call-1', response: { doubled: 4 } }],
      },
    ]);
  });

  it('have content if the environment variable of the conventions asks for it', async () => {
    const { tracer, span } = recordSpans();
    const name = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';
    process.env[name] = 'true';
    try {
      const capabilities = [otel({ tracer })];
      await new Agent({ model: script(), tools: [double], capabilities }).run('Go.');
    } finally {
      delete process.env[name];
    }

    expect(span('execute_tool double').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"n":2}',
    });
  });

  it('have the time to the first chunk of a streamed response', async () => {
    const { tracer, spans } = recordSpans();
    const make = () =>
      new Agent({ model: scriptedModel(says('Hello.')), capabilities: [otel({ tracer })] });

    await make().stream('Go.').result;
    await make().run('Go.');

    const [, streamed, , whole] = spans();
    expect(streamed?.attributes).toMatchObject({
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
    });
    expect(whole?.attributes).not.toHaveProperty('gen_ai.response.time_to_first_chunk');
  });

  it('nest a call that a tool makes inside the call of the tool', async () => {
    const { tracer, tree } = recordSpans();
    const twice = tool({
      name: 'twice',
      execute: (_args, ctx: RunContext) => ctx.toolManager.call('double', { n: 1 }),
    });
    const agent = new Agent({
      model: scriptedModel(calls('twice'), says('Done.')),
      tools: [twice, double],
      capabilities: [otel({ tracer })],
    });

    await agent.run('Go.');

    expect(tree()).toEqual([
      'invoke_agent',
      '  chat scripted',
      '  execute_tool twice',
      '    execute_tool double',
      '  chat scripted',
    ]);
  });
});

describe('the status of a span', () => {
  it('is an error if a tool throws, and the run fails', async () => {
    const { tracer, span } = recordSpans();
    const broken = tool({
      name: 'broken',
      execute() {
        throw new RangeError('The line is down.');
      },
    });
    const model = scriptedModel(calls('broken'));
    const agent = new Agent({ model, tools: [broken], capabilities: [otel({ tracer })] });

    await rejectionOf(agent.run('Go.'));

    for (const name of ['execute_tool broken', 'invoke_agent']) {
      const { status, attributes, events } = span(name);
      expect(status).toEqual({ code: SpanStatusCode.ERROR, message: 'The line is down.' });
      expect(attributes).toMatchObject({ 'error.type': 'RangeError' });
      expect(events).toMatchObject([{ name: 'exception' }]);
    }
    expect(span('execute_tool broken').attributes['holdpoint.tool.outcome']).toBe('error');
    expect(span('invoke_agent').attributes['holdpoint.run.status']).toBe('failed');
  });

  it('is an error if the model fails', async () => {
    const { tracer, span } = recordSpans();
    const model = scriptedModel(new Error('Overloaded.'));

    await rejectionOf(new Agent({ model, capabilities: [otel({ tracer })] }).run('Go.'));

    expect(span('chat scripted').status).toEqual({
      code: SpanStatusCode.ERROR,
      message: 'Overloaded.',
    });
  });

  it('is unset for a retry, and an error without the message for `ToolFailed`', async () => {
    const { tracer, span } = recordSpans();
    const tools = [
      tool({
        name: 'retries',
        execute() {
          throw new ModelRetry('Again.');
        },
      }),
      tool({
        name: 'fails',
        execute() {
          throw new ToolFailed('The account of Ada is closed.');
        },
      }),
    ];
    const model = scriptedModel(responds(calls('retries'), calls('fails')), says('Sorry.'));

    await new Agent({ model, tools, capabilities: [otel({ tracer })] }).run('Go.');

    const retried = span('execute_tool retries');
    expect(retried.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(retried.attributes['holdpoint.tool.outcome']).toBe('retry');
    const failed = span('execute_tool fails');
    expect(failed.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(failed.events).toEqual([]);
    expect(failed.attributes).toMatchObject({
      'holdpoint.tool.outcome': 'failed',
      'error.type': 'ToolFailed',
    });
  });

  it('is an error for a call that times out, although its tool never ends', async () => {
    const { tracer, span } = recordSpans();
    const hangs = tool({ name: 'hangs', timeout: 5, execute: () => never() });
    const model = scriptedModel(calls('hangs'), says('Too slow.'));

    await new Agent({ model, tools: [hangs], capabilities: [otel({ tracer })] }).run('Go.');

    const { status, attributes } = span('execute_tool hangs');
    expect(status.code).toBe(SpanStatusCode.ERROR);
    expect(attributes['holdpoint.tool.outcome']).toBe('cancelled');
  });

  it('is unset for a run that its caller stops', async () => {
    const { tracer, span } = recordSpans();
    const started = latch();
    const hangs = tool({
      name: 'hangs',
      execute() {
        started.open();
        return never();
      },
    });
    const model = scriptedModel(calls('hangs'));
    const agent = new Agent({ model, tools: [hangs], capabilities: [otel({ tracer })] });
    const abort = new AbortController();

    const run = agent.run('Go.', { signal: abort.signal });
    await started.opened;
    abort.abort();
    await rejectionOf(run);

    expect(span('invoke_agent').status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span('invoke_agent').attributes['holdpoint.run.status']).toBe('stopped');
    expect(span('execute_tool hangs').status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span('execute_tool hangs').attributes['holdpoint.tool.outcome']).toBe('cancelled');
  });
});

describe('a tracer that fails', () => {
  it.each(['startSpan', 'isRecording', 'setAttributes', 'end'])(
    'in `%s` does not affect the run',
    async (method) => {
      const fails = () => {
        throw new Error('The collector is full.');
      };
      const span = trace.wrapSpanContext({ traceId: '', spanId: '', traceFlags: 0 });
      Object.assign(span, { isRecording: () => true, [method]: fails });
      const tracer = { startSpan: method === 'startSpan' ? fails : () => span };
      const capabilities = [otel({ tracer })];

      const result = await new Agent({ model: script(), tools: [double], capabilities }).run('Go.');

      expect(result.output).toBe('The secret is 4.');
    },
  );
});
