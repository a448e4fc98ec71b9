import { setImmediate } from 'node:timers/promises';
import type { Message, UsageLimits } from 'holdpoint';
import type { Environment } from 'holdpoint/agents';
import { Aliases, hideGeneratedCallIds, textsIn } from './aliases.ts';
import { toResults } from './deferred-results.ts';
import { buildAgent, buildOutput, buildRetries } from './build-agent.ts';
import { buildToolset } from './build-toolset.ts';
import { describeHistory, hasContent } from './describe-message.ts';
import { describeOutput } from './describe-output.ts';
import { describeError } from './describe.ts';
import { dropAbsent, toMessage } from './from-spec.ts';
import { buildHandlers } from './handlers.ts';
import type { Observed } from './compare-scenario.ts';
import type { RunSpec, Scenario } from './scenario.ts';
import { ScriptModel } from './script-model.ts';
import { RunLog, Stage } from './stage.ts';
import { type Ended, startRun } from './start-run.ts';

/** A function that returns the environment of a run, or `undefined` for the library's default. */
export type ChooseEnvironment = (runIndex: number, stage: Stage) => Environment | undefined;

/** Replays a scenario and returns the observations. */
export async function runScenario(
  scenario: Scenario,
  chooseEnvironment: ChooseEnvironment = () => undefined,
  signal?: AbortSignal | undefined,
): Promise<Observed> {
  const given = textsIn({ agents: scenario.agents, runs: scenario.runs });
  const replay = new Replay(scenario, new Aliases(given), chooseEnvironment, signal);
  const observed = await replay.observe();
  return hideGeneratedCallIds(observed, given) as Observed;
}

type AnyAgent = ReturnType<typeof buildAgent>;

class Replay {
  readonly #scenario: Scenario;
  readonly #aliases: Aliases;
  readonly #chooseEnvironment: ChooseEnvironment;
  readonly #signal: AbortSignal | undefined;
  readonly #models = new Map<string, ScriptModel>();
  readonly #agents = new Map<string, AnyAgent>();
  readonly #ended: Ended[] = [];
  readonly #stage = new Stage(async (name, prompt, options) => {
    const result = await this.#agent(name).run(prompt, options);
    return result.output;
  });

  constructor(
    scenario: Scenario,
    aliases: Aliases,
    chooseEnvironment: ChooseEnvironment,
    signal: AbortSignal | undefined,
  ) {
    this.#signal = signal;
    this.#scenario = scenario;
    this.#aliases = aliases;
    this.#chooseEnvironment = chooseEnvironment;
  }

  async observe(): Promise<Observed> {
    try {
      for (const [name, spec] of Object.entries(this.#scenario.agents)) {
        const model = new ScriptModel(name, spec.model, this.#stage);
        this.#models.set(name, model);
        this.#agents.set(name, buildAgent(name, spec, model, this.#stage));
      }
    } catch (error) {
      return { construction_error: describeError(error) };
    }
    const held = await this.#open(this.#scenario.enter_agent ?? 0);
    const runs: Observed[] = [];
    for (const [index, run] of this.#scenario.runs.entries())
      runs.push(await this.#run(index, run));
    return { runs, unused_model_responses: this.#unusedResponses(), ...(await held?.close()) };
  }

  /** Opens the main agent several times around all runs, and returns the log of its toolsets. */
  async #open(times: number): Promise<{ close(): Promise<Observed> } | undefined> {
    if (times === 0) return undefined;
    const entering = new RunLog();
    this.#stage.log = entering;
    const opened: AsyncDisposable[] = [];
    for (let each = 0; each < times; each++) opened.push(await this.#agent(MAIN).open());
    return {
      close: async () => {
        const exiting = new RunLog();
        this.#stage.log = exiting;
        for (const one of opened.toReversed()) await one[Symbol.asyncDispose]();
        return { agent_enter_log: entering.toolsetLog, agent_exit_log: exiting.toolsetLog };
      },
    };
  }

  async #run(index: number, spec: RunSpec): Promise<Observed> {
    const log = new RunLog();
    this.#stage.log = log;
    this.#stage.usageLimits = usageLimits(spec);
    const ended = await startRun(this.#agent(spec.agent ?? MAIN), {
      prompt: spec.prompt ?? undefined,
      streamed: spec.mode === 'stream_events',
      log,
      options: dropAbsent({
        messageHistory: this.#history(index, spec),
        usageLimits: this.#stage.usageLimits,
        usage: spec.usage === 'previous' ? this.#ended[index - 1]?.result?.usage : undefined,
        output: buildOutput(spec.output),
        retries: buildRetries(spec.retries),
        instructions: spec.instructions,
        toolsets: spec.toolsets?.map((each) => buildToolset(each, this.#stage)),
        capabilities: buildHandlers(spec.handlers ?? [], FIRST_RUN_HANDLER, this.#stage),
        deferredToolResults: spec.deferred_results && toResults(spec.deferred_results),
        conversationId: spec.conversation_id,
        runId: spec.run_id,
        parallelMode: spec.parallel_mode?.replaceAll('_', '-') as ParallelMode | undefined,
        environment: this.#chooseEnvironment(index, this.#stage),
        signal: this.#signal,
      }),
    });
    this.#ended.push(ended);
    // Cancelled calls need time to stop.
    await setImmediate();
    return this.#describe(ended, log);
  }

  #describe(ended: Ended, log: RunLog): Observed {
    const { result, error } = ended;
    const messages = describeHistory(ended.messages, this.#aliases);
    return {
      ...(result
        ? {
            outcome: 'output',
            output: describeOutput(result.output),
            new_message_count: result.newMessages.filter(hasContent).length,
          }
        : { outcome: 'error', error: describeError(error) }),
      messages,
      usage: result
        ? { requests: result.usage.requests, tool_calls: result.usage.toolCalls }
        : null,
      invocations: log.invocations,
      trace: log.trace,
      validator_calls: log.validatorCalls,
      handler_calls: log.handlerCalls,
      toolset_log: log.toolsetLog,
      events: log.events,
      model_requests: log.modelRequests,
    };
  }

  #history(index: number, spec: RunSpec): readonly Message[] | undefined {
    const messages = this.#givenHistory(index, spec.history ?? 'none');
    return messages && spec.serialize ? JSON.parse(JSON.stringify(messages)) : messages;
  }

  #givenHistory(
    index: number,
    history: NonNullable<RunSpec['history']>,
  ): readonly Message[] | undefined {
    if (history === 'none') return undefined;
    if (history === 'previous') return this.#ended[index - 1]?.messages ?? [];
    if ('run' in history) return this.#ended[history.run]?.messages ?? [];
    return history.map(toMessage);
  }

  #unusedResponses(): Record<string, number> {
    const unused = [...this.#models].map(([name, model]) => [name, model.unused] as const);
    return Object.fromEntries(unused.filter(([, count]) => count > 0));
  }

  #agent(name: string): AnyAgent {
    const agent = this.#agents.get(name);
    if (agent === undefined) throw new Error(`The scenario has no agent '${name}'.`);
    return agent;
  }
}

/** The agent of a run that names none. */
const MAIN = 'main';

/** The number of the first handler of a run. Handlers of agents have smaller numbers. */
const FIRST_RUN_HANDLER = 100;

type ParallelMode = 'parallel' | 'sequential' | 'parallel-ordered-events';

function usageLimits(spec: RunSpec): UsageLimits | undefined {
  if (!spec.usage_limits) return undefined;
  const named = Object.entries(spec.usage_limits).map(([name, limit]) => [
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    limit,
  ]);
  return Object.fromEntries(named) as UsageLimits;
}
