// A program of a user who installed only the package. consumer.test.ts compiles and executes it outside
// of the repository.
import {
  Agent,
  type AgentEvent,
  captureRunMessages,
  fromJsonSchema,
  messageCodec,
  type Model,
  ModelRetry,
  noOutput,
  type RunContext,
  type RunResult,
  textOutput,
  tool,
  UsageLimitExceeded,
  UserError,
  WrapperAgent,
} from 'holdpoint';
import { calls, fakeClock, responds, says, scriptedModel, TestModel } from 'holdpoint/testing';

interface Files {
  readonly files: Map<string, string>;
}

const readFile = tool({
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: fromJsonSchema<{ path: string }>({
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
  }),
  execute({ path }, ctx: RunContext<Files>) {
    // @ts-expect-error: the path is a text.
    void (path satisfies number);
    const text = ctx.deps.files.get(path);
    if (text === undefined) throw new ModelRetry(`There is no ${path}.`);
    return text;
  },
});

const now = tool({ name: 'now', execute: () => 'today' });

const deps: Files = { files: new Map([['README.md', '# Hello']]) };

async function loop() {
  const model = scriptedModel(
    responds(calls('read_file', { path: 'readme' }), calls('now')),
    calls('read_file', { path: 'README.md' }),
    says('It says hello.'),
  );
  const agent = new Agent({ name: 'reader', model, tools: [readFile, now] });

  // @ts-expect-error: the tool cannot do without files.
  const withoutDeps: Parameters<typeof agent.run> = ['Read it.'];
  void withoutDeps;

  const result: RunResult<string> = await agent.run('Read it.', { deps });
  const again = messageCodec.parse(messageCodec.stringify(result.messages));
  return { output: result.output, messages: again.length, requests: result.usage.requests };
}

async function structured() {
  const Weather = fromJsonSchema<{ celsius: number }>(
    { type: 'object', properties: { celsius: { type: 'integer' } }, required: ['celsius'] },
    (value) => value as { celsius: number },
  );
  const agent = new Agent({ model: new TestModel(), output: [Weather, noOutput] });

  const { output } = await agent.run('How warm is it?');

  // @ts-expect-error: there may be no output.
  void (output satisfies { celsius: number });
  return output === null ? 'none' : typeof output.celsius;
}

async function stream() {
  const agent = new Agent({ model: scriptedModel(says('Hello.', { chunks: ['Hel', 'lo.'] })) });
  const shouting = new WrapperAgent(agent);

  const events: AgentEvent['kind'][] = [];
  const run = shouting.stream('Greet.', { output: textOutput((text) => text.length) });
  for await (const event of run) events.push(event.kind);

  const length: number = (await run.result).output;
  return { events: events.length > 0, last: events.at(-1), length };
}

async function steps() {
  const agent = new Agent({ model: scriptedModel(calls('now'), says('Done.')), tools: { now } });

  const kinds: string[] = [];
  const iterator = agent.iter('What day is it?', { environment: fakeClock() });
  for await (const step of iterator) kinds.push(step.kind);

  return { kinds, output: iterator.result?.output };
}

async function failures() {
  const { signal } = new AbortController();
  const agent = new Agent({ model: scriptedModel(calls('now'), says('Done.')), tools: [now] });
  const captured = await captureRunMessages(() =>
    agent.run('Hello', { signal, usageLimits: { requestLimit: 1 } }),
  );
  const limited = captured.status === 'rejected' && captured.reason instanceof UsageLimitExceeded;

  let noModel = false;
  try {
    await new Agent({}).run('Hello');
  } catch (error) {
    noModel = error instanceof UserError;
  }
  return { limited, messages: captured.messages.length, noModel };
}

async function ownModel() {
  const echo: Model = {
    name: 'echo',
    system: 'own',
    request: async ({ messages }) => ({
      modelName: 'echo',
      parts: [{ kind: 'text', content: `${messages.length} message(s)` }],
    }),
  };
  const agent = new Agent({ model: scriptedModel() });
  const { output } = await agent.override({ model: echo }, () => agent.run('Hello'));
  return output;
}

const report = {
  loop: await loop(),
  structured: await structured(),
  stream: await stream(),
  steps: await steps(),
  failures: await failures(),
  ownModel: await ownModel(),
};

/** The report that the program prints, as JSON. */
export type Report = typeof report;

console.log(JSON.stringify(report));
