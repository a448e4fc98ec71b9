import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as restate from '@restatedev/restate-sdk';
import { compareScenario, type Observed } from '../../../../conformance/src/compare-scenario.ts';
import { Comparison } from '../../../../conformance/src/compare.ts';
import { missingFeatures } from '../../../../conformance/src/features.ts';
import { loadSuite } from '../../../../conformance/src/load.ts';
import { type ChooseEnvironment, runScenario } from '../../../../conformance/src/run-scenario.ts';
import type { Scenario } from '../../../../conformance/src/scenario.ts';
import { asTerminalError, onRestate } from '../../src/index.ts';
import type { ToolsetLogRow } from '../../../../conformance/src/stage.ts';
import type { RestateServer } from './restate-server.ts';
import { serveServices } from './serve-services.ts';
import { type SeenStep, WatchedSteps } from './watched-steps.ts';

const DATA = fileURLToPath(new URL('../../../../conformance/data', import.meta.url));

/** The conformance cases that the framework supports. */
export const scenarios: readonly Scenario[] = loadSuite(DATA).scenarios.filter(
  (scenario) => missingFeatures(scenario).length === 0,
);

/** `suspended`: the server suspends the invocation at every step, so each step is replayed by its own attempt. */
export type Mode = 'live' | 'suspended';

interface Replayed {
  attempts: number;
  readonly runs: SeenStep[][];
  /** The logs of the toolsets, of all runs in all attempts. */
  readonly toolsets: (readonly ToolsetLogRow[])[];
  observed: Observed | undefined;
}

function newReplay(): Replayed {
  return { attempts: 0, runs: [], toolsets: [], observed: undefined };
}

/** The differences and counts of all cases. */
export interface ConformanceReport {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly attempts: number;
  readonly steps: number;
  /** The steps that were executed not at all, or more than once. */
  readonly repeated: number;
  /** The number of times that toolsets were opened and closed, over all attempts. */
  readonly opens: number;
  readonly closes: number;
}

/** Replays conformance cases in invocations of a server. */
export async function replayOnRestate(
  server: RestateServer,
  mode: Mode,
  cases: readonly Scenario[],
): Promise<ConformanceReport> {
  const replays = new Map<string, Replayed>();
  const service = restate.service({
    name: `conformance-${mode}`,
    handlers: {
      replay: async (ctx: restate.Context, name: string) => {
        const scenario = cases.find((one) => one.name === name);
        if (scenario === undefined) throw new restate.TerminalError(`Unknown case: ${name}`);
        const replay = replays.get(name) ?? newReplay();
        replays.set(name, replay);
        replay.attempts += 1;
        const { environment, signal } = await onRestate(ctx);
        const chooseEnvironment: ChooseEnvironment = (index, stage) => {
          // An attempt that has ended starts no further run.
          signal.throwIfAborted();
          replay.toolsets.push(stage.log.toolsetLog);
          const seen = (replay.runs[index] ??= []);
          return new WatchedSteps(environment, stage, seen);
        };
        const observed = await runScenario(scenario, chooseEnvironment, signal);
        signal.throwIfAborted();
        replay.observed = observed;
      },
    },
    options: {
      asTerminalError,
      ...(mode === 'suspended' && { inactivityTimeout: 0, abortTimeout: { minutes: 1 } }),
    },
  });
  await using served = await serveServices([service]);
  await server.register(served.url);
  const failed: string[] = [];
  for (let at = 0; at < cases.length; at += AT_ONCE) {
    const group = cases.slice(at, at + AT_ONCE).map(async (scenario) => {
      const { name } = scenario;
      const problem = await server
        .call(`conformance-${mode}/replay`, name)
        .then(() => differenceOf(scenario, mode, replays.get(name)?.observed))
        .catch(String);
      if (problem !== undefined) failed.push(`${name}: ${problem}`);
    });
    await Promise.all(group);
  }
  // The last attempts may still be closing their toolsets.
  await sleep(200);
  const count = (what: string) =>
    [...replays]
      // A toolset that cannot be opened is not closed.
      .filter(([name]) => !name.includes('enter_failure'))
      .flatMap(([, { toolsets }]) => toolsets.flat())
      .filter(([first]) => first === what).length;
  const steps = [...replays.values()].flatMap(({ runs }) => runs.flat());
  return {
    passed: cases.length - failed.length,
    failed,
    attempts: [...replays.values()].reduce((sum, { attempts }) => sum + attempts, 0),
    steps: steps.length,
    repeated: steps.filter(({ executions }) => executions !== 1).length,
    opens: count('enter'),
    closes: count('exit'),
  };
}

const AT_ONCE = 8;

async function differenceOf(
  scenario: Scenario,
  mode: Mode,
  observed: Observed = {},
): Promise<string | undefined> {
  const comparison = new Comparison();
  const difference =
    mode === 'live'
      ? compareScenario(scenario.expected, observed, comparison)
      : comparison.firstDifference(lasting(await runScenario(scenario)), lasting(observed), '');
  return difference && JSON.stringify(difference).slice(0, 500);
}

const LASTING = ['outcome', 'output', 'error', 'messages', 'new_message_count', 'usage'];

/** Returns the observations that executed and replayed steps share. */
function lasting(observed: Observed): Observed {
  const { runs } = observed;
  if (!Array.isArray(runs)) return observed;
  const pick = (run: Observed) => Object.fromEntries(LASTING.map((field) => [field, run[field]]));
  return { runs: runs.map(pick) };
}
