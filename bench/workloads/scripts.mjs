/**
 * The responses of the model in each workload, in a form that is independent of frameworks.
 *
 * A script is `step -> { text } | { calls: [{ id, name, args }] } | { chunks: […] }`, with
 * arguments as JSON text. The model of an adapter must be stateless, so that one agent serves
 * concurrent runs. It finds its step from the last message alone, so that its cost does not depend
 * on the history.
 */
import { argsOf, bodyOf, TOOL_NAMES } from './tools.mjs';

/** The final text of every run. */
export const FINAL = 'All done: the final result is 42.';

/** One piece of streamed text. */
export const WORD = 'lorem ipsum ';

/** Returns the id of a tool call, which contains its step. */
const callId = (step, k) => `c${step}_${k}`;

/** Returns the step after a message whose last tool result has this id. */
export function stepAfter(lastToolCallId) {
  if (!lastToolCallId || lastToolCallId[0] !== 'c') return 0;
  return Number.parseInt(lastToolCallId.slice(1), 10) + 1;
}

const makeCalls = (step, count) =>
  Array.from({ length: count }, (_, k) => {
    const name = TOOL_NAMES[k % TOOL_NAMES.length];
    return { id: callId(step, k), name, args: argsOf[name](step * 100 + k) };
  });

/**
 * Returns a script of `steps` responses with `width` calls, then the final text. With `fresh`, each
 * request gets new objects.
 */
export function loopScript(steps, width, { fresh = false } = {}) {
  if (fresh) {
    return (step) => (step < steps ? { calls: makeCalls(step, width) } : { text: FINAL });
  }
  const responses = Array.from({ length: steps }, (_, step) => ({ calls: makeCalls(step, width) }));
  responses.push({ text: FINAL });
  return (step) => responses[Math.min(step, steps)];
}

/**
 * Returns a script with one streamed response and then the final text. The response has text, and
 * calls with arguments in `argDeltas` pieces.
 */
export function streamScript(textDeltas, calls, argDeltas) {
  const chunks = Array.from({ length: textDeltas }, () => ({ type: 'text', delta: WORD }));
  const whole = [];
  for (let k = 0; k < calls; k++) {
    const id = callId(0, k);
    const name = 'lookup_order';
    const fields = ['x'.repeat(argDeltas * 8)];
    const args = JSON.stringify({ orderId: `ord-${k}`, fields, limit: 10 });
    const size = Math.ceil(args.length / argDeltas);
    whole.push({ id, name, args });
    chunks.push({ type: 'call-start', id, name, index: k });
    for (let at = 0; at < args.length; at += size) {
      chunks.push({ type: 'call-delta', id, index: k, delta: args.slice(at, at + size) });
    }
    chunks.push({ type: 'call-end', id, name, index: k, args });
  }
  const first = { text: WORD.repeat(textDeltas), calls: whole, chunks };
  const last = { text: FINAL, chunks: [{ type: 'text', delta: FINAL }] };
  return (step) => (step === 0 ? first : last);
}

/** Returns `length` earlier messages. User text, tool call, tool result and text repeat. */
export function buildHistory(length) {
  const messages = [];
  for (let i = 0; messages.length < length; i++) {
    const name = 'get_weather';
    messages.push(
      { role: 'user', text: `Question ${i}: what is the weather in city number ${i} today?` },
      { role: 'assistant', calls: [{ id: `h${i}`, name, args: argsOf[name](i) }] },
      { role: 'tool', id: `h${i}`, name, result: bodyOf[name]({ city: `City ${i}` }) },
      {
        role: 'assistant',
        text: `It is clear and 21 degrees in city number ${i}, a fine day for a walk.`,
      },
    );
  }
  return messages.slice(0, length);
}
