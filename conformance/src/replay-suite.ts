import { Comparison, type Difference } from './compare.ts';
import { missingFeatures } from './features.ts';
import { unknownPart } from './format.ts';
import { loadSuite } from './load.ts';
import type { ReplayOptions } from './options.ts';
import { replayScenario } from './replay-scenario.ts';
import { makeReport, type Report, type Verdict } from './report.ts';
import type { Scenario } from './scenario.ts';
import { type NamedUnit, namedUnits } from './units.ts';

/** Replays a folder of cases. */
export async function replaySuite(options: ReplayOptions): Promise<Report> {
  const suite = loadSuite(options.directory);
  const comparison = new Comparison();
  const isWanted = ({ name }: { readonly name: string }) =>
    options.only?.some((wanted) => name === wanted || isInGroup(name, wanted)) ?? true;
  const verdicts = await inGroups(suite.scenarios.filter(isWanted), (scenario) =>
    checkScenario(scenario, options, comparison),
  );
  const units = namedUnits(suite.units).filter(isWanted);
  return makeReport(
    [...verdicts, ...units.map((unit) => checkUnit(unit, comparison))],
    comparison.notCompared,
  );
}

function isInGroup(name: string, group: string): boolean {
  return group.endsWith('/') && name.startsWith(group);
}

async function checkScenario(
  scenario: Scenario,
  { environment }: ReplayOptions,
  comparison: Comparison,
): Promise<Verdict> {
  const { name } = scenario;
  const unknown = unknownPart(scenario);
  if (unknown) return verdict(name, unknown);
  const [missing] = missingFeatures(scenario);
  if (missing) return { name, status: 'unsupported', missing };
  const replay = replayScenario(scenario, environment, comparison);
  return verdict(name, await withTimeout(replay));
}

function checkUnit({ name, check }: NamedUnit, comparison: Comparison): Verdict {
  return check
    ? verdict(name, check(comparison))
    : { name, status: 'unsupported', missing: 'functions' };
}

function verdict(name: string, difference: Difference | undefined): Verdict {
  return difference ? { name, status: 'failed', difference } : { name, status: 'passed' };
}

const MAX_MS = 10_000;

/** Fails a replay that does not end in time. */
async function withTimeout(
  replay: Promise<Difference | undefined>,
): Promise<Difference | undefined> {
  const expected = `an end within ${MAX_MS} ms`;
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<Difference>((resolve) => {
    timer = setTimeout(() => resolve({ path: 'runs', expected, got: undefined }), MAX_MS);
  });
  try {
    return await Promise.race([replay, timedOut]);
  } catch (error) {
    return { path: 'runs', expected: 'a replay', got: String(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** The number of scenarios that are replayed at a time. They share no state. */
const MAX_CONCURRENT = 16;

async function inGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += MAX_CONCURRENT) {
    const group = items.slice(start, start + MAX_CONCURRENT);
    results.push(...(await Promise.all(group.map(work))));
  }
  return results;
}
