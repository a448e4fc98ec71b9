import {
  type Recording,
  recordingEnvironment,
  replayingEnvironment,
  shufflingEnvironment,
} from 'holdpoint/testing';
import type { Comparison, Difference } from './compare.ts';
import { compareScenario, type Observed } from './compare-scenario.ts';
import type { EnvironmentName } from './options.ts';
import { runScenario } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';
import { WatchedEnvironment, type WatchedStep } from './watched-environment.ts';

/** Replays a scenario in an environment. Returns the first difference, if any. */
export async function replayScenario(
  scenario: Scenario,
  environment: EnvironmentName | undefined,
  comparison: Comparison,
): Promise<Difference | undefined> {
  switch (environment) {
    case undefined:
      return compareScenario(scenario.expected, await runScenario(scenario), comparison);
    case 'record':
      return compareScenario(scenario.expected, (await record(scenario)).observed, comparison);
    case 'replay':
      return replay(scenario, comparison);
    case 'shuffle':
      return shuffle(scenario, comparison);
  }
}

const SEEDS = [1, 2, 3];

/** Replays a scenario so that its parallel calls end in several orders. Nothing else may change. */
async function shuffle(
  scenario: Scenario,
  comparison: Comparison,
): Promise<Difference | undefined> {
  const expected = inAnyOrder(scenario.expected);
  for (const seed of SEEDS) {
    const observed = await runScenario(scenario, () => shufflingEnvironment(seed));
    const difference = compareScenario(expected, observed, comparison);
    if (difference) return { ...difference, path: `${difference.path} (seed ${seed})` };
  }
  return undefined;
}

function inAnyOrder(expected: Observed): Observed {
  return 'result_event_order' in expected
    ? { ...expected, result_event_order: 'unordered-within-parallel-batch' }
    : expected;
}

/** The values that one run took from its environment, and the uses of its steps. */
interface RecordedRun {
  readonly recording: Recording;
  readonly steps: readonly WatchedStep[];
}

async function record(scenario: Scenario) {
  const environments: { recorder: { recording: Recording }; watched: WatchedEnvironment }[] = [];
  const observed = await runScenario(scenario, (index, stage) => {
    const recorder = recordingEnvironment();
    const watched = new WatchedEnvironment(recorder, stage);
    environments[index] = { recorder, watched };
    return watched;
  });
  const runs = environments.map(
    ({ recorder, watched }): RecordedRun => ({
      recording: recorder.recording,
      steps: watched.steps,
    }),
  );
  return { observed, runs };
}

/** The shares of finished steps that are replayed. */
const SHARES = [0, 0.5, 1];

/** Records a scenario, then replays each of its runs up to a step and continues from there. */
async function replay(scenario: Scenario, comparison: Comparison): Promise<Difference | undefined> {
  const recorded = await record(scenario);
  const recordedDifference = compareScenario(scenario.expected, recorded.observed, comparison);
  if (recordedDifference) return recordedDifference;
  for (const share of SHARES) {
    const difference = await replayShare(scenario, share, { recorded, comparison });
    if (difference) return { ...difference, path: `${difference.path} (replayed ${share})` };
  }
  return undefined;
}

interface Recorded {
  readonly recorded: { readonly observed: Observed; readonly runs: readonly RecordedRun[] };
  readonly comparison: Comparison;
}

async function replayShare(
  scenario: Scenario,
  share: number,
  { recorded, comparison }: Recorded,
): Promise<Difference | undefined> {
  const watched: WatchedEnvironment[] = [];
  const observed = await runScenario(scenario, (index, stage) => {
    const run = recorded.runs[index];
    if (run === undefined) return undefined;
    const upTo = replayedSteps(run, share);
    const environment = new WatchedEnvironment(
      replayingEnvironment(run.recording, { upTo }),
      stage,
      run.steps,
    );
    watched[index] = environment;
    return environment;
  });
  for (const [index, { steps }] of watched.entries()) {
    const run = recorded.runs[index];
    if (run === undefined) continue;
    const expected = run.steps.length - replayedSteps(run, share);
    const got = steps.filter(({ executed }) => executed).length;
    if (got !== expected) return { path: `runs[${index}].executed steps`, expected, got };
  }
  return comparison.firstDifference(
    replayedFields(recorded.observed),
    replayedFields(observed),
    '',
  );
}

/** Returns the number of steps to replay: a share of those that ended during the run. */
function replayedSteps({ recording }: RecordedRun, share: number): number {
  const ended = recording.arrivals.filter(
    ({ requestIndex }) => recording.requests[requestIndex]?.kind === 'step',
  ).length;
  return Math.floor(ended * share);
}

const REPLAYED_FIELDS = ['outcome', 'output', 'error', 'messages', 'new_message_count', 'usage'];

/** The observations that executed and replayed steps must share. */
function replayedFields(observed: Observed): Observed {
  if (!Array.isArray(observed['runs'])) return observed;
  return {
    runs: observed['runs'].map((run: Observed) =>
      Object.fromEntries(REPLAYED_FIELDS.map((field) => [field, run[field]])),
    ),
  };
}
