/**
 * Genkit 1.42: `ai.generate` with `defineModel` and `defineTool`. Genkit uses zod 3, so tools get
 * the JSON Schema of the zod 4 schema.
 */
import { genkit } from 'genkit/beta'; // Tool interrupts are beta.
import { z } from 'zod';
import { stepAfter } from '../workloads/scripts.mjs';

const callPart = (c) => ({ toolRequest: { name: c.name, ref: c.id, input: JSON.parse(c.args) } });

function lastRef(messages) {
  const last = messages[messages.length - 1];
  return last.role === 'tool' ? last.content[last.content.length - 1].toolResponse?.ref : undefined;
}

export function setup({ tools, script, maxSteps, inspect }) {
  const ai = genkit({});
  const model = ai.defineModel(
    { name: 'fake/model', supports: { tools: true, multiturn: true } },
    async ({ messages }, send) => {
      inspect?.(messages);
      const r = script(stepAfter(lastRef(messages)));
      if (r.chunks && send) {
        for (const c of r.chunks) {
          if (c.type === 'text') send({ content: [{ text: c.delta }] });
          else if (c.type === 'call-delta')
            send({
              content: [
                { toolRequest: { name: 'lookup_order', ref: c.id, partial: true, input: c.delta } },
              ],
            });
        }
      }
      const content = [...(r.text ? [{ text: r.text }] : []), ...(r.calls ?? []).map(callPart)];
      return {
        message: { role: 'model', content },
        finishReason: 'stop',
        usage: { inputTokens: 10, outputTokens: 20 },
      };
    },
  );
  const byName = {};
  for (const t of tools) {
    const { $schema: _, ...inputJsonSchema } = z.toJSONSchema(t.schema);
    byName[t.name] = ai.defineTool(
      { name: t.name, description: t.description, inputJsonSchema },
      t.needsApproval
        ? async (input, { interrupt, resumed }) =>
            resumed?.approved ? t.execute(input) : interrupt({ approval: true })
        : t.execute,
    );
  }
  return { ai, byName, options: { model, tools: Object.values(byName), maxTurns: maxSteps } };
}

export const history = (neutral) =>
  neutral.map((m) => {
    if (m.role === 'tool')
      return {
        role: 'tool',
        content: [{ toolResponse: { name: m.name, ref: m.id, output: m.result } }],
      };
    if (m.calls) return { role: 'model', content: m.calls.map(callPart) };
    return { role: m.role === 'assistant' ? 'model' : 'user', content: [{ text: m.text }] };
  });

export async function run({ ai, options }, { prompt, history: earlier = [] }) {
  return { text: (await ai.generate({ ...options, messages: earlier, prompt })).text };
}

/** The state is the messages. The metadata of pending calls contains their interrupt. */
export async function park({ ai, options }, { prompt }) {
  const r = await ai.generate({ ...options, prompt });
  if (!r.interrupts.length) throw new Error('The run did not interrupt.');
  return r.messages;
}

export const pause = async (a, input) => JSON.stringify(await park(a, input));

export async function resume({ ai, byName, options }, state, decide) {
  const messages = JSON.parse(state);
  const restart = [],
    respond = [];
  for (const part of messages.at(-1).content) {
    if (!part.metadata?.interrupt) continue;
    const tool = byName[part.toolRequest.name];
    const d = decide(part.toolRequest.ref);
    if (d.approve) restart.push(tool.restart(part, { approved: true }));
    else respond.push(tool.respond(part, d.message));
  }
  return { text: (await ai.generate({ ...options, messages, resume: { restart, respond } })).text };
}

export async function stream({ ai, options }, { prompt }) {
  const { stream: chunks, response } = ai.generateStream({ ...options, prompt });
  let text = '',
    n = 0;
  for await (const c of chunks) {
    n++;
    text += c.text;
  }
  await response;
  return { text, events: n };
}
