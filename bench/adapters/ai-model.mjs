/**
 * A scripted `LanguageModelV4` (AI SDK provider specification) for all adapters that accept one.
 */
import { stepAfter } from '../workloads/scripts.mjs';

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 20, text: 20, reasoning: undefined },
};

function lastToolCallId(prompt) {
  const last = prompt[prompt.length - 1];
  return last.role === 'tool' ? last.content[last.content.length - 1].toolCallId : undefined;
}

export function fakeModel(script, inspect) {
  const respond = (prompt) => script(stepAfter(lastToolCallId(prompt)));
  const reason = (r) => ({ unified: r.calls ? 'tool-calls' : 'stop', raw: undefined });
  return {
    specificationVersion: 'v4',
    provider: 'fake',
    modelId: 'fake',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      inspect?.(prompt);
      const r = respond(prompt);
      const content = r.calls
        ? r.calls.map((c) => ({
            type: 'tool-call',
            toolCallId: c.id,
            toolName: c.name,
            input: c.args,
          }))
        : [{ type: 'text', text: r.text }];
      return { content, finishReason: reason(r), usage, warnings: [] };
    },
    async doStream({ prompt }) {
      const r = respond(prompt);
      const parts = streamParts(r, reason(r));
      return {
        stream: new ReadableStream({
          pull(controller) {
            const { done, value } = parts.next();
            if (done) controller.close();
            else controller.enqueue(value);
          },
        }),
      };
    },
  };
}

function* streamParts(r, finishReason) {
  yield { type: 'stream-start', warnings: [] };
  let open = false;
  for (const c of r.chunks) {
    if (c.type === 'text') {
      if (!open) {
        open = true;
        yield { type: 'text-start', id: 't' };
      }
      yield { type: 'text-delta', id: 't', delta: c.delta };
      continue;
    }
    if (open) {
      open = false;
      yield { type: 'text-end', id: 't' };
    }
    if (c.type === 'call-start') yield { type: 'tool-input-start', id: c.id, toolName: c.name };
    else if (c.type === 'call-delta') yield { type: 'tool-input-delta', id: c.id, delta: c.delta };
    else {
      yield { type: 'tool-input-end', id: c.id };
      yield { type: 'tool-call', toolCallId: c.id, toolName: c.name, input: c.args };
    }
  }
  if (open) yield { type: 'text-end', id: 't' };
  yield {
    type: 'finish',
    finishReason: r.calls?.length ? finishReason : { unified: 'stop', raw: undefined },
    usage,
  };
}

export const history = (neutral) =>
  neutral.map((m) => {
    if (m.role === 'tool') {
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: m.id,
            toolName: m.name,
            output: { type: 'json', value: m.result },
          },
        ],
      };
    }
    if (m.calls) {
      return {
        role: 'assistant',
        content: m.calls.map((c) => ({
          type: 'tool-call',
          toolCallId: c.id,
          toolName: c.name,
          input: JSON.parse(c.args),
        })),
      };
    }
    return { role: m.role, content: m.text };
  });
