import {
  Agent,
  binaryContent,
  captureRunMessages,
  type Message,
  messageCodec,
  tool,
} from 'holdpoint';
import { bytesOf } from 'holdpoint/messages';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const weather = tool({
  name: 'weather',
  description: 'Tells the weather.',
  inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
  execute: ({ city, days }) => `Sunny in ${city} for ${days} day(s).`,
});

/** A tool that ends with its run, and a promise that resolves when it starts. */
function waitingTool() {
  let onStart = () => {};
  const started = new Promise<void>((resolve) => {
    onStart = resolve;
  });
  const wait = tool({
    name: 'wait',
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        onStart();
      }),
  });
  return { wait, started };
}

const greeter = (...texts: string[]) =>
  new Agent({ model: scriptedModel(...texts.map((text) => says(text))) });

/** The scenarios that tests execute in the page. Each returns JSON. */
const scenarios = {
  async runtime() {
    return {
      process: typeof Reflect.get(globalThis, 'process'),
      asyncContext: typeof Reflect.get(globalThis, 'AsyncContext'),
      evaluates: evaluatesText(),
    };
  },

  async toolLoop() {
    const model = scriptedModel(
      calls('weather', { city: 12 }),
      calls('weather', { city: 'Lisbon' }),
      says('It is sunny.'),
    );
    const agent = new Agent({ model, tools: [weather], instructions: 'Be brief.' });

    const result = await agent.run('How is the weather in Lisbon?');

    const offered = model.calls[0]?.functionTools[0];
    return {
      output: result.output,
      runId: result.runId,
      usage: { requests: result.usage.requests, toolCalls: result.usage.toolCalls },
      parts: partsOf(result.messages).map((part) => part.kind),
      returned: partsOf(result.messages).find((part) => part.kind === 'tool-return')?.content,
      parameters: offered?.parametersJsonSchema['properties'],
    };
  },

  async stream() {
    const model = scriptedModel(
      calls('weather', { city: 'Lisbon' }),
      says('It is sunny.', { chunks: ['It ', 'is ', 'sunny.'] }),
    );
    const agent = new Agent({ model, tools: [weather] });

    const pieces: string[] = [];
    const kinds = new Set<string>();
    const stream = agent.stream('How is the weather in Lisbon?');
    for await (const event of stream) {
      kinds.add(event.kind);
      if (event.kind === 'text-delta') pieces.push(event.text);
    }

    return { pieces, kinds: [...kinds], output: (await stream.result).output };
  },

  async structuredOutput() {
    const City = z.object({ name: z.string(), founded: z.iso.date().transform((day) => day) });
    const args = { name: 'Lisbon', founded: '1147-10-25' };
    const argsChunks = ['{"name":"Lis', 'bon","founded":"1147', '-10-25"}'];
    const model = scriptedModel(
      calls('final_result', { name: 'Lisbon', founded: 'long ago' }),
      calls('final_result', args, { argsChunks }),
    );
    const agent = new Agent({ model, output: City });

    const partial: unknown[] = [];
    const stream = agent.stream('Which city?');
    for await (const output of stream.partialOutputs) partial.push(output);

    const { output } = await stream.result;
    return { name: output.name, founded: output.founded, partial };
  },

  async abort() {
    const controller = new AbortController();
    const { wait, started } = waitingTool();
    const model = scriptedModel(calls('wait'), says('Too late.'));
    const agent = new Agent({ model, tools: [wait] });

    const thrown = thrownBy(() => agent.run('Wait.', { signal: controller.signal }));
    await started;
    controller.abort(new Error('Enough.'));

    return {
      ...describeError(await thrown),
      isReason: (await thrown) === controller.signal.reason,
      requests: model.calls.length,
    };
  },

  async override() {
    const agent = greeter('Before.', 'After.');
    const say = async () => (await agent.run('Hello')).output;

    const before = await say();
    const inside = await agent.override({ model: scriptedModel(says('Inside.')) }, say);
    const after = await say();

    return [before, inside, after];
  },

  async overlapInOverride() {
    const agent = greeter('Outside.');
    const model = scriptedModel(says('First.'), says('Second.'), says('Third.'));

    const settled = await agent.override({ model }, () =>
      Promise.allSettled([agent.run('One'), agent.run('Two')]),
    );

    return { inside: settled.map(outputOrError), after: (await agent.run('Three')).output };
  },

  async overlapWithOverride() {
    const controller = new AbortController();
    const { wait, started } = waitingTool();
    const agent = new Agent({ model: scriptedModel(calls('wait')), tools: [wait] });
    const waiting = thrownBy(() => agent.run('Wait.', { signal: controller.signal }));
    await started;
    const override = () =>
      agent.override({ model: scriptedModel(says('Inside.')) }, () => agent.run('Hello'));

    const rejected = describeError(await thrownBy(override));
    controller.abort();
    await waiting;

    return { rejected, afterwards: (await override()).output };
  },

  async overlapAfterBrokenStream() {
    const agent = greeter('Broken off.', 'Outside.');
    for await (const _ of agent.stream('Hello')) break;
    const model = scriptedModel(says('First.'), says('Second.'));

    const settled = await agent.override({ model }, () =>
      Promise.allSettled([agent.run('One'), agent.run('Two')]),
    );

    return settled.map(outputOrError);
  },

  async overlapAfterBrokenIteration() {
    const agent = greeter('Broken off.', 'Outside.');
    const iterator = agent.iter('Hello');
    for await (const _ of iterator) break;
    await iterator.next();
    const model = scriptedModel(says('First.'), says('Second.'));

    const settled = await agent.override({ model }, () =>
      Promise.allSettled([agent.run('One'), agent.run('Two')]),
    );

    return settled.map(outputOrError);
  },

  async parallelRuns() {
    const agent = greeter('First.', 'Second.', 'Third.');

    const results = await Promise.all([agent.run('1'), agent.run('2'), agent.run('3')]);

    return results.map(({ output }) => output);
  },

  async captureFailedRun() {
    const model = scriptedModel(calls('weather', { city: 'Lisbon' }), new Error('Overloaded.'));
    const agent = new Agent({ model, tools: [weather] });

    const captured = await captureRunMessages(() => agent.run('How is the weather in Lisbon?'));

    return {
      status: captured.status,
      reason: captured.status === 'rejected' ? describeError(captured.reason) : undefined,
      parts: partsOf(captured.messages).map((part) => part.kind),
    };
  },

  async overlapInCapture() {
    const agent = greeter('First.', 'Second.');

    const captured = await captureRunMessages(() =>
      Promise.allSettled([agent.run('One'), agent.run('Two')]),
    );

    return {
      runs: captured.status === 'fulfilled' ? captured.value.map(outputOrError) : [],
      messages: captured.messages.length,
    };
  },

  async roundTrip() {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
    const agent = greeter('A picture.', 'Still the same.');
    const first = await agent.run(['What is this?', binaryContent(bytes, 'image/png')]);

    const loaded = messageCodec.parse(messageCodec.stringify(first.messages));
    const second = await agent.run('And now?', { messageHistory: loaded });

    const [prompt] = partsOf(loaded).filter((part) => part.kind === 'user-prompt');
    const picture = Array.isArray(prompt?.content) ? prompt.content[1] : undefined;
    return {
      output: second.output,
      messages: second.messages.length,
      sameBytes: picture !== undefined && bytesOf(picture).every((byte, i) => byte === bytes[i]),
    };
  },

  async modelsByName() {
    const test = await new Agent({ model: 'test' }).run('Hello');
    const thrown = await thrownBy(() => new Agent({ model: 'openai:gpt-5' }).run('Hello'));

    return { test: test.output, openai: describeError(thrown) };
  },
};

type Scenarios = typeof scenarios;

/** Executes the scenario `name` and returns its result. */
async function runScenario(name: ScenarioName): Promise<unknown> {
  // Starts a separate task, because the page's content policy does not apply to direct calls of a
  // test.
  await new Promise((resolve) => setTimeout(resolve));
  return scenarios[name]();
}

/** The globals that the page offers to tests. */
export interface PageGlobals {
  runScenario(name: ScenarioName): Promise<unknown>;
}

/** The result of a scenario. */
export type ScenarioResult<Name extends keyof Scenarios> = Awaited<ReturnType<Scenarios[Name]>>;

/** The names of the scenarios. */
export type ScenarioName = keyof Scenarios;

Object.assign(globalThis, { runScenario } satisfies PageGlobals);

function evaluatesText(): boolean {
  try {
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}

function partsOf(messages: readonly Message[]) {
  return messages.flatMap((message): Message['parts'][number][] => [...message.parts]);
}

function outputOrError(settled: PromiseSettledResult<{ readonly output: string }>) {
  return settled.status === 'fulfilled' ? settled.value.output : describeError(settled.reason);
}

async function thrownBy(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}

function describeError(error: unknown): { readonly name: string; readonly message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: typeof error, message: String(error) };
}
