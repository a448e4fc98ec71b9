import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';

/** The number of calls of a run. */
export const COUNTS = 8;
/** The duration of a call, in milliseconds. */
const CALL_MS = 120;

/** An agent that calls a tool again and again. It responds alike in every process. */
export function counterAgent(): Agent {
  const count = tool({
    name: 'count',
    idempotent: true,
    async execute() {
      await sleep(CALL_MS);
      return 'counted';
    },
  });
  const model = functionModel(({ messages }) => {
    const done = messages.filter(({ kind }) => kind === 'response').length;
    return done < COUNTS ? calls('count', {}, { id: `call-${done}` }) : says('Counted all.');
  });
  return new Agent({ model, tools: [count] });
}
