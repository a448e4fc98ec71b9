import {
  Agent,
  type AgentLike,
  type AgentWith,
  DeferredToolRequests,
  type ParkedResult,
  type RunContext,
  type RunResult,
  type Tool,
  tool,
  WrapperAgent,
} from 'holdpoint';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type Clock, type Database, withDatabase } from './support/needs.ts';

const Person = z.object({ name: z.string() });
const Employee = z.object({ name: z.string(), salary: z.number() });

const text = new Agent({ model: 'test' });
const mayDefer = new Agent({ model: 'test', output: [String, DeferredToolRequests] });
const person = new Agent({ model: 'test', output: Person });
const employee = new Agent({ model: 'test', output: Employee });
const needsDatabase = new Agent({
  model: 'test',
  tools: [withDatabase],
  output: [String, DeferredToolRequests],
});

describe('the output is part of the type of an agent', () => {
  it('rejects an agent that may defer where text is expected', () => {
    // @ts-expect-error: a run of this agent may park
    const wrong: Agent = mayDefer;
    const right: Agent = text;
    void [wrong, right];
  });

  it('rejects an agent with an object output where text is expected', () => {
    // @ts-expect-error: the output of this agent is an object
    const wrong: Agent = person;
    void wrong;
  });

  it('rejects an agent with text output where an object is expected', () => {
    // @ts-expect-error: the output of this agent is text
    const wrong: Agent<readonly [], typeof Person> = text;
    void wrong;
  });

  it('rejects the same agents as `AgentLike` and as `WrapperAgent`', () => {
    const like: AgentLike<readonly [], StringConstructor, unknown> = text;
    // @ts-expect-error: a run of this agent may park
    const parks: AgentLike<readonly [], StringConstructor, unknown> = mayDefer;
    // @ts-expect-error: the output of this agent is an object
    const object: AgentLike<readonly [], StringConstructor, unknown> = person;
    const wrapper: WrapperAgent = new WrapperAgent(text);
    // @ts-expect-error: a run of the wrapped agent may park
    const parkingWrapper: WrapperAgent = new WrapperAgent(mayDefer);
    // @ts-expect-error: the output of the wrapped agent is an object
    const objectWrapper: WrapperAgent = new WrapperAgent(person);
    void [like, parks, object, wrapper, parkingWrapper, objectWrapper];
  });

  it('infers the output of a wrapped agent, whatever its tools are', () => {
    const tools: Tool[] = [];
    const wrapped = new Agent({ model: 'test', tools, output: [String, DeferredToolRequests] });

    expectTypeOf(new WrapperAgent(wrapped).run('Go.')).resolves.toEqualTypeOf<
      RunResult<string> | ParkedResult
    >();
    expectTypeOf(new WrapperAgent(new WrapperAgent(person)).run('Go.')).resolves.toEqualTypeOf<
      RunResult<{ name: string }>
    >();
  });

  it('accepts a wrapper where an agent is expected, and only with the same output', () => {
    const like: AgentLike<readonly [], typeof Person, unknown> = new WrapperAgent(person);
    // @ts-expect-error: the output of the wrapped agent is text
    const wrong: AgentLike<readonly [], typeof Person, unknown> = new WrapperAgent(text);
    void [like, wrong];
  });
});

describe('`AgentWith` is the type of an agent as a function parameter', () => {
  it('accepts any agent with this output that needs no deps', () => {
    const run = (agent: AgentWith<string>) => agent.run('Go.');

    expectTypeOf(run(text)).resolves.toEqualTypeOf<RunResult<string>>();
    void run(new WrapperAgent(text));
    void run(new Agent({ model: 'test', tools: [tool({ name: 'a', execute: () => 1 })] }));
    // @ts-expect-error: a run of this agent may park
    void run(mayDefer);
    // @ts-expect-error: the output of this agent is an object
    void run(person);
    // @ts-expect-error: this agent needs deps
    void run(needsDatabase);
  });

  it('is text without arguments', () => {
    expectTypeOf<AgentWith>().toEqualTypeOf<AgentWith<string>>();
  });

  it('accepts an agent that needs the deps or less', () => {
    async function run(agent: AgentWith<string | DeferredToolRequests, Database & Clock>) {
      // @ts-expect-error: the agent may need deps
      void agent.run('Go.');
      return agent.run('Go.', { deps: { db: 'x', clock: 1 } });
    }

    expectTypeOf(run).returns.resolves.toEqualTypeOf<RunResult<string> | ParkedResult>();
    void run(needsDatabase);
    void run(mayDefer);
    void run(text);
  });

  it('narrows the result by its status', async () => {
    const run = (agent: AgentWith<string | DeferredToolRequests>) => agent.run('Go.');
    const result = await run(mayDefer);

    if (result.status === 'finished') expectTypeOf(result.output).toEqualTypeOf<string>();
    else expectTypeOf(result.output).toEqualTypeOf<DeferredToolRequests>();
  });

  it('accepts an agent whose output has more members', () => {
    const run = async (agent: AgentWith<{ name: string }>) =>
      (await agent.run('Go.')).output.name satisfies string;

    void run(person);
    void run(employee);
    // @ts-expect-error: the output of this agent is text
    void run(text);
  });

  it('resumes, streams and steps with the same output', () => {
    const use = (agent: AgentWith<string | DeferredToolRequests, Database>) => {
      const deps = { db: 'x' };
      const parked = { messages: [] };
      const results = new DeferredToolRequests({}).buildResults();
      expectTypeOf(agent.resume(parked, results, { deps })).resolves.toEqualTypeOf<
        RunResult<string> | ParkedResult
      >();
      expectTypeOf(agent.stream('Go.', { deps }).result).resolves.toEqualTypeOf<
        RunResult<string> | ParkedResult
      >();
      expectTypeOf(agent.iter('Go.', { deps }).result).toEqualTypeOf<
        RunResult<string> | ParkedResult | undefined
      >();
      // @ts-expect-error: the agent may need deps
      void agent.resume(parked, results);
    };
    use(needsDatabase);
  });

  it('accepts the options of a run, whose callbacks do not know the deps', () => {
    const run = (agent: AgentWith<string, Database>) =>
      agent.run('Go.', {
        deps: { db: 'x' },
        runId: 'r',
        instructions(ctx) {
          expectTypeOf(ctx).toEqualTypeOf<RunContext>();
          return 'Be brief.';
        },
      });
    void run;
  });
});
