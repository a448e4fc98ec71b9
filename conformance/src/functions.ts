import type { JsonObject, Message, RunContext } from 'holdpoint';
import { executeBehaviour } from './behaviours.ts';
import { className, describeCallContext, describeOutputContext } from './describe.ts';
import type { Behaviour, HistoryProcessorSpec, OneOrMore, ToolSpec } from './scenario.ts';
import { Produced } from './schemas.ts';
import type { Stage } from './stage.ts';

/** Creates the function of a tool, which executes the behaviour of the scenario and logs the call. */
export function toolFunction(spec: ToolSpec, stage: Stage) {
  return (args: JsonObject, ctx: RunContext): unknown => {
    const { log } = stage;
    const id = ctx.toolCallId ?? null;
    const row = { tool: spec.name, args, ctx: describeCallContext(ctx), outcome: 'running' };
    log.invocations.push(row);
    log.trace.push(['start', spec.name, id]);
    return logEnd(
      () => executeBehaviour(stage.next(`tool ${spec.name}`, spec.behavior), { args, ctx, stage }),
      (outcome) => {
        row.outcome = outcome;
        log.trace.push(['end', spec.name, id]);
      },
    );
  };
}

/** Executes `work` and logs its end. Returns a promise only if `work` does. */
function logEnd(work: () => unknown, ended: (outcome: string) => void): unknown {
  const failed = (error: unknown): never => {
    ended(`raised:${className(error)}`);
    throw error;
  };
  let value: unknown;
  try {
    value = work();
  } catch (error) {
    return failed(error);
  }
  if (value instanceof Promise) {
    return value.then((settled: unknown) => {
      ended('returned');
      return settled;
    }, failed);
  }
  ended('returned');
  return value;
}

/** Creates the args validator of a tool. */
export function argsValidator(name: string, behaviour: OneOrMore<Behaviour>, stage: Stage) {
  return (args: JsonObject, ctx: RunContext): void | Promise<void> => {
    stage.log.validatorCalls.push({ tool: name, args, ctx: describeCallContext(ctx) });
    const done = executeBehaviour(stage.next(`args validator ${name}`, behaviour), {
      args,
      ctx,
      stage,
    });
    return done instanceof Promise ? done.then(() => undefined) : undefined;
  };
}

/** The possible outputs of a run of a scenario. */
type Output = string | Produced | null;

/** Creates the output validator of an agent. The behaviour `ok` returns the output unchanged. */
export function outputValidator(agent: string, behaviour: OneOrMore<Behaviour>, stage: Stage) {
  return (output: Output, ctx: RunContext): Output | Promise<Output> => {
    stage.log.validatorCalls.push({
      output_validator: true,
      value: output instanceof Produced ? output.value : output,
      ctx: describeOutputContext(ctx),
    });
    const call = { args: {}, ctx, stage };
    const done = executeBehaviour(stage.next(`output validator ${agent}`, behaviour), call);
    return done instanceof Promise ? done.then(() => output) : output;
  };
}

/** Creates the history processor of an agent. */
export function historyProcessor(spec: HistoryProcessorSpec) {
  return (messages: readonly Message[]): readonly Message[] => {
    switch (spec.do) {
      case 'keep_last':
        return spec.n > 0 ? messages.slice(-spec.n) : [];
      case 'drop_last':
        return messages.slice(0, -1);
      case 'empty':
        return [];
    }
  };
}
