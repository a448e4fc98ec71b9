/**
 * The timed workloads, with the checks after each repetition.
 *
 * `make(adapter, parameters)` returns a job. `once()` does the work and checks its result, `units`
 * is the number of units in it, and `info` has further values for the report. W5 (memory) and W6
 * (import) are measured elsewhere.
 */
import { buildHistory, FINAL, loopScript, streamScript, WORD } from './scripts.mjs';
import { makeTools } from './tools.mjs';

const DENIAL = 'Denied by the operator: amount too large.';
const PROMPT = 'Go.';

const loop = {
  unit: 'model step',
  parameters: [
    { steps: 10, concurrency: 1 },
    { steps: 10, concurrency: 100 },
  ],
  key: ({ concurrency }) => `c=${concurrency}`,
  async make(adapter, { steps, concurrency }) {
    const counter = { n: 0 };
    const agent = await adapter.setup({
      tools: makeTools(counter),
      script: loopScript(steps, 3),
      maxSteps: steps + 2,
    });
    return {
      units: (steps + 1) * concurrency,
      async once() {
        counter.n = 0;
        const started = Array.from({ length: concurrency }, () =>
          adapter.run(agent, { prompt: PROMPT }),
        );
        for (const { text } of await Promise.all(started)) expectSame(text, FINAL, 'final text');
        expectSame(counter.n, steps * 3 * concurrency, 'tool executions');
      },
    };
  },
};

const longHistory = {
  unit: 'model step',
  parameters: [100, 1000, 2000, 5000].map((history) => ({ history, steps: 50 })),
  key: ({ history }) => `h=${history}`,
  async make(adapter, { history, steps }) {
    const counter = { n: 0 };
    const agent = await adapter.setup({
      tools: makeTools(counter),
      script: loopScript(steps, 1),
      maxSteps: steps + 2,
    });
    const native = await adapter.history(buildHistory(history), agent);
    return {
      units: steps + 1,
      async once() {
        counter.n = 0;
        const { text } = await adapter.run(agent, { prompt: PROMPT, history: native });
        expectSame(text, FINAL, 'final text');
        expectSame(counter.n, steps, 'tool executions');
      },
    };
  },
};

const approval = {
  unit: 'round trip',
  needs: ['pause', 'resume'],
  parameters: [{ calls: 5 }],
  key: ({ calls }) => `n=${calls}`,
  async make(adapter, { calls }) {
    const counter = { n: 0 };
    const executions = adapter.deviations?.w3Executions;
    const deviation = executions !== undefined && `executed ${executions} of 3 approved calls`;
    const info = deviation ? { deviation } : {};
    // The first round trip also checks that the model received both denials.
    let seen = '';
    let isFirst = true;
    const agent = await adapter.setup({
      tools: makeTools(counter, { needsApproval: true }),
      script: loopScript(1, calls),
      maxSteps: 4,
      approvals: true,
      inspect(prompt) {
        if (isFirst) seen = JSON.stringify(prompt);
      },
    });
    const decide = (id) =>
      Number(id.split('_')[1]) < 3 ? { approve: true } : { approve: false, message: DENIAL };
    return {
      units: 1,
      info,
      async once() {
        counter.n = 0;
        const state = await adapter.pause(agent, { prompt: PROMPT });
        expectSame(typeof state, 'string', 'type of the state');
        expectSame(counter.n, 0, 'executions before approval');
        info.stateBytes = Buffer.byteLength(state);
        const { text } = await adapter.resume(agent, state, decide);
        expectSame(text, FINAL, 'final text');
        expectSame(counter.n, executions ?? 3, 'executions after approval');
        if (isFirst) {
          expectSame(seen.split(DENIAL).length > 2, true, 'both denials in the prompt');
        }
        isFirst = false;
      },
    };
  },
};

const streaming = {
  unit: 'delta',
  needs: ({ ui }) => [ui ? 'streamUi' : 'stream'],
  parameters: [
    { text: 2000, calls: 20, args: 200 },
    { text: 10000, calls: 0, args: 0 },
    { text: 50000, calls: 0, args: 0 },
    { text: 0, calls: 1, args: 2000 },
    { text: 0, calls: 1, args: 10000 },
    { text: 0, calls: 1, args: 50000 },
    { text: 2000, calls: 20, args: 200, ui: true },
    { text: 10000, calls: 0, args: 0, ui: true },
  ],
  key({ text, calls, args, ui }) {
    if (ui) return calls > 1 ? 'ui-mixed' : `ui-text=${text}`;
    if (calls > 1) return 'mixed';
    return calls === 1 ? `args=${args}` : `text=${text}`;
  },
  async make(adapter, { text, calls, args, ui }) {
    const counter = { n: 0 };
    const agent = await adapter.setup({
      tools: makeTools(counter),
      script: streamScript(text, calls, args),
      maxSteps: 4,
      streaming: true,
    });
    const expected = WORD.repeat(text) + (calls > 0 ? FINAL : '');
    const info = {};
    const stream = ui ? uiReader(adapter, agent, expected) : adapter.stream;
    return {
      units: text + calls * args,
      info,
      async once() {
        counter.n = 0;
        const streamed = await stream(agent, { prompt: PROMPT });
        expectSame(counter.n, calls, 'tool executions');
        expectSame(streamed.text, expected, 'streamed text');
        info.events = streamed.events;
      },
    };
  },
};

const wideBatch = {
  unit: 'tool call',
  parameters: [{ width: 100 }, { width: 1000 }, { width: 10000 }],
  key: ({ width }) => `n=${width}`,
  async make(adapter, { width }) {
    const counter = { n: 0 };
    const agent = await adapter.setup({
      tools: makeTools(counter, { wait: true }),
      script: loopScript(1, width),
      maxSteps: 4,
    });
    return {
      units: width,
      async once() {
        counter.n = 0;
        const { text } = await adapter.run(agent, { prompt: PROMPT });
        expectSame(text, FINAL, 'final text');
        expectSame(counter.n, width, 'tool executions');
      },
    };
  },
};

/** The timed workloads by name. */
export const WORKLOADS = {
  w1: loop,
  w2: longHistory,
  w3: approval,
  w4: streaming,
  w7: wideBatch,
};

/**
 * Reads a response with the UI message stream of the AI SDK as bytes. Only the first response is
 * decoded and checked, because decoding is the work of the client.
 */
function uiReader(adapter, agent, expected) {
  let isFirst = true;
  return async (_, { prompt }) => {
    const response = await adapter.streamUi(agent, { prompt });
    if (isFirst) {
      isFirst = false;
      const { text, events } = uiText(await response.text());
      return { text, events };
    }
    let events = 0;
    for await (const bytes of response.body) events += bytes.byteLength > 0 ? 1 : 0;
    return { text: expected, events };
  };
}

function uiText(body) {
  const frames = body.split('\n\n').filter((frame) => frame.startsWith('data: {'));
  const chunks = frames.map((frame) => JSON.parse(frame.slice('data: '.length)));
  const deltas = chunks.filter(({ type }) => type === 'text-delta');
  return { text: deltas.map(({ delta }) => delta).join(''), events: chunks.length };
}

/**
 * Creates the agent of W5. Each run parks on five calls, and the calls of each run are new objects.
 */
export function makeParkingAgent(adapter) {
  return adapter.setup({
    tools: makeTools({ n: 0 }, { needsApproval: true }),
    script: loopScript(1, 5, { fresh: true }),
    maxSteps: 4,
    approvals: true,
  });
}

function expectSame(got, want, what) {
  if (got === want) return;
  const show = (value) => JSON.stringify(value)?.slice(0, 120);
  throw new Error(`check failed: ${what}: got ${show(got)}, want ${show(want)}`);
}
