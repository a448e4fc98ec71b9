/** Holdpoint on its own `Model` port. */
import { stepAfter } from '../workloads/scripts.mjs';
import { makeAgent, toCallPart } from './holdpoint-agent.mjs';

export { history, park, pause, resume, run, stream, streamUi } from './holdpoint-agent.mjs';

export const setup = (options) => makeAgent(fakeModel(options.script, options.inspect), options);

function fakeModel(script, inspect) {
  const respond = ({ messages }) => {
    inspect?.(messages);
    return script(stepAfter(lastToolCallId(messages)));
  };
  return {
    name: 'fake',
    system: 'fake',
    async request(call) {
      const { text, calls } = respond(call);
      const parts = calls ? calls.map(toCallPart) : [{ kind: 'text', content: text }];
      return { parts, usage: makeUsage(), finishReason: calls ? 'tool_call' : 'stop' };
    },
    async *stream(call) {
      const { chunks, calls } = respond(call);
      let parts = 0;
      let inText = false;
      const indexes = new Map();
      for (const chunk of chunks) {
        if (chunk.type === 'text') {
          yield inText
            ? { kind: 'text-delta', index: parts - 1, text: chunk.delta }
            : { kind: 'part-start', index: parts++, part: { kind: 'text', content: chunk.delta } };
          inText = true;
        } else if (chunk.type === 'call-start') {
          inText = false;
          const part = toCallPart({ id: chunk.id, name: chunk.name, args: '' });
          indexes.set(chunk.id, parts);
          yield { kind: 'part-start', index: parts++, part };
        } else if (chunk.type === 'call-delta') {
          yield { kind: 'args-delta', index: indexes.get(chunk.id), text: chunk.delta };
        } else {
          yield { kind: 'part-done', index: indexes.get(chunk.id) };
        }
      }
      const finishReason = calls?.length ? 'tool_call' : 'stop';
      yield { kind: 'finish', usage: makeUsage(), finishReason };
    },
  };
}

const makeUsage = () => ({ inputTokens: 10, outputTokens: 20 });

function lastToolCallId(messages) {
  // Indexing instead of `at`, as in LIMIT: `at` is slower on a frozen list.
  const { parts } = messages[messages.length - 1];
  const last = parts[parts.length - 1];
  return last.kind === 'tool-return' ? last.toolCallId : undefined;
}
