import { Agent, ModelRetry, type RunContext, tool } from 'holdpoint';
import type { Span, Tracer } from 'holdpoint/agents';
import { calls, responds, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

interface RecordedSpan {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  readonly errors: Error[];
  ended: number;
}

function recordingTracer(): Tracer & { readonly spans: RecordedSpan[] } {
  const spans: RecordedSpan[] = [];
  return {
    spans,
    startSpan(name, options): Span {
      const span: RecordedSpan = {
        name,
        attributes: { ...options?.attributes },
        errors: [],
        ended: 0,
      };
      spans.push(span);
      return {
        setAttribute: (key, value) => (span.attributes[key] = value),
        recordException: (error) => span.errors.push(error),
        end: () => void (span.ended += 1),
      };
    },
  };
}

const double = tool({
  name: 'double',
  inputSchema: z.object({ n: z.number() }),
  execute: ({ n }) => ({ doubled: n * 2 }),
});
const script = () =>
  scriptedModel(
    responds(calls('double', { n: 2 }), { usage: { inputTokens: 5, outputTokens: 7 } }),
    'Done.',
  );

describe('traces', () => {
  it('have a span for each request and each tool call, without contents', async () => {
    const tracer = recordingTracer();

    await new Agent({ model: script(), tools: [double], tracer }).run('Go.');

    expect(tracer.spans).toEqual([
      {
        name: 'chat scripted',
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'test',
          'gen_ai.request.model': 'scripted',
          'gen_ai.usage.input_tokens': 5,
          'gen_ai.usage.output_tokens': 7,
        },
        errors: [],
        ended: 1,
      },
      {
        name: 'execute_tool double',
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'double',
          'gen_ai.tool.call.id': 'call-1',
        },
        errors: [],
        ended: 1,
      },
      expect.objectContaining({ name: 'chat scripted', errors: [], ended: 1 }),
    ]);
  });

  it('contain arguments and results if the option is set', async () => {
    const tracer = recordingTracer();
    const agent = new Agent({
      model: script(),
      tools: [double],
      tracer,
      traceIncludeContent: true,
    });

    await agent.run('Go.');

    expect(tracer.spans[1]?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"n":2}',
      'gen_ai.tool.call.result': '{"doubled":4}',
    });
  });

  it('are the same for a stream', async () => {
    const tracer = recordingTracer();

    await new Agent({ model: script(), tools: [double], tracer }).stream('Go.').result;

    expect(tracer.spans.map(({ name, ended }) => [name, ended])).toEqual([
      ['chat scripted', 1],
      ['execute_tool double', 1],
      ['chat scripted', 1],
    ]);
  });

  it('report errors of models and tools, but not retries', async () => {
    const tracer = recordingTracer();
    const down = new Error('The line is down.');
    const broken = tool({
      name: 'broken',
      execute(_args, { retry }: RunContext) {
        if (retry === 0) throw new ModelRetry('Again.');
        throw down;
      },
    });
    const agent = new Agent({ tools: [broken], tracer });

    const model = scriptedModel(calls('broken'), calls('broken'));
    await expect(agent.run('Go.', { model })).rejects.toBe(down);
    await expect(agent.run('Go.', { model: scriptedModel(down) })).rejects.toBe(down);

    expect(tracer.spans.map(({ name, errors, ended }) => [name, errors, ended])).toEqual([
      ['chat scripted', [], 1],
      ['execute_tool broken', [], 1],
      ['chat scripted', [], 1],
      ['execute_tool broken', [down], 1],
      ['chat scripted', [down], 1],
    ]);
  });

  it('are available to tools', async () => {
    const tracer = recordingTracer();
    const own = tool({
      name: 'own',
      execute(_args, ctx: RunContext) {
        ctx.tracer.startSpan('my work').end();
        return ctx.traceIncludeContent;
      },
    });
    const agent = new Agent({
      model: scriptedModel(calls('own'), 'Done.'),
      tools: [own],
      tracer,
      traceIncludeContent: true,
    });

    const result = await agent.run('Go.');

    expect(tracer.spans.map(({ name }) => name)).toContain('my work');
    expect(result.messages[2]?.parts).toMatchObject([{ content: true }]);
  });
});
