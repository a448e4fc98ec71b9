/**
 * OpenAI Agents SDK 0.20: `Agent` and `Runner` with a custom `Model`. Tracing is off, because by
 * default it sends data over the network.
 */
import { Agent, Runner, RunState, Usage, tool, setTracingDisabled } from '@openai/agents';
import { stepAfter } from '../workloads/scripts.mjs';

setTracingDisabled(true);

const text = (t) => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: t }],
});
const call = (c) => ({
  type: 'function_call',
  callId: c.id,
  name: c.name,
  arguments: c.args,
  status: 'completed',
});

function fakeModel(script, inspect) {
  const respond = ({ input }) => {
    inspect?.(input);
    const last = input[input.length - 1];
    return script(stepAfter(last.type === 'function_call_result' ? last.callId : undefined));
  };
  return {
    async getResponse(request) {
      const r = respond(request);
      return {
        usage: new Usage({ requests: 1, inputTokens: 10, outputTokens: 20, totalTokens: 30 }),
        output: r.calls ? r.calls.map(call) : [text(r.text)],
      };
    },
    async *getStreamedResponse(request) {
      const r = respond(request);
      yield { type: 'response_started' };
      for (const c of r.chunks) {
        if (c.type === 'text') yield { type: 'output_text_delta', delta: c.delta };
        // The protocol has no event for argument deltas. Providers pass them as raw model events.
        else if (c.type === 'call-delta')
          yield {
            type: 'model',
            event: {
              type: 'response.function_call_arguments.delta',
              item_id: c.id,
              delta: c.delta,
            },
          };
      }
      const output = [...(r.text ? [text(r.text)] : []), ...(r.calls ?? []).map(call)];
      yield {
        type: 'response_done',
        response: {
          id: 'r',
          usage: { requests: 1, inputTokens: 10, outputTokens: 20, totalTokens: 30 },
          output,
        },
      };
    },
  };
}

export function setup({ tools, script, maxSteps, inspect }) {
  const model = fakeModel(script, inspect);
  const agent = new Agent({
    name: 'bench',
    instructions: '',
    model,
    tools: tools.map((t) =>
      tool({
        name: t.name,
        description: t.description,
        parameters: t.schema,
        execute: t.execute,
        needsApproval: t.needsApproval,
        errorFunction: null,
      }),
    ),
  });
  return { agent, runner: new Runner({ tracingDisabled: true }), maxTurns: maxSteps };
}

export const history = (neutral) =>
  neutral.flatMap((m) => {
    if (m.role === 'tool') {
      return [
        {
          type: 'function_call_result',
          callId: m.id,
          name: m.name,
          status: 'completed',
          output: { type: 'text', text: JSON.stringify(m.result) },
        },
      ];
    }
    if (m.calls) return m.calls.map(call);
    return [m.role === 'user' ? { role: 'user', content: m.text } : text(m.text)];
  });

export async function run({ agent, runner, maxTurns }, { prompt, history: earlier }) {
  const input = earlier ? [...earlier, { role: 'user', content: prompt }] : prompt;
  return { text: (await runner.run(agent, input, { maxTurns })).finalOutput };
}

export const park = async ({ agent, runner, maxTurns }, { prompt }) =>
  (await runner.run(agent, prompt, { maxTurns })).state;
export const pause = async (a, input) => (await park(a, input)).toString();

export async function resume({ agent, runner, maxTurns }, string, decide) {
  const state = await RunState.fromString(agent, string);
  for (const item of state.getInterruptions()) {
    const d = decide(item.rawItem.callId);
    if (d.approve) state.approve(item);
    else state.reject(item, { message: d.message });
  }
  return { text: (await runner.run(agent, state, { maxTurns })).finalOutput };
}

export async function stream({ agent, runner, maxTurns }, { prompt }) {
  const result = await runner.run(agent, prompt, { stream: true, maxTurns });
  let out = '',
    n = 0;
  for await (const e of result) {
    n++;
    if (e.type === 'raw_model_stream_event' && e.data.type === 'output_text_delta')
      out += e.data.delta;
  }
  await result.completed;
  return { text: out, events: n };
}
