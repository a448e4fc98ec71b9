import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Comparison } from './src/compare.ts';
import { corruptions } from './src/corruptions.ts';
import { compareScenario } from './src/compare-scenario.ts';
import { loadSuite } from './src/load.ts';
import { replaySuite } from './src/replay-suite.ts';
import { runScenario } from './src/run-scenario.ts';
import type { Scenario } from './src/scenario.ts';
import { namedUnits } from './src/units.ts';

const suite = loadSuite(fileURLToPath(new URL('data', import.meta.url)));

function scenarioOf(name: string): Scenario {
  const scenario = suite.scenarios.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`There is no vector ${name}.`);
  return scenario;
}

describe('the replayer', () => {
  it.each([
    'loop/single_tool',
    'loop/parallel_order',
    'loop/tool_throws_parallel_partial',
    'loop/same_tool_twice',
    'loop/empty_response_retry',
    'loop/interrupted_then_prompt',
    'args/missing_and_extra',
    'args/validator_retry',
    'output/validator_retry_tool',
    'stream/events_retry',
    'history/conversation_id',
    'toolset/conflict_agent_duplicate',
    'args/validator_approval',
    'resume/mixed_batch_prompt',
    'resume/external_tool_return',
    'handler/mixed_order',
    'handler/approve_all',
    'handler/partial',
    'handler/build_results_unknown_id',
    'nested/sub_deferred_bubbled',
    'lifecycle/order',
    'toolset/dynamic_same_instance',
    'toolset/approval_outside_prefix',
    'toolset/filtered_by_step',
    'toolset/metadata',
    'toolset/prepared_rename',
    'lifecycle/agent_entered',
    'search/basic',
    'search/call_undiscovered',
    'search/max_results',
    'search/tool_return_reveals',
    'search/two_calls_same_step',
  ])('detects every corruption of %s', async (name) => {
    const { expected, ...scenario } = scenarioOf(name);
    const observed = await runScenario({ ...scenario, expected });

    expect(compareScenario(expected, observed, new Comparison())).toBeUndefined();
    const unnoticed = [...corruptions(expected)]
      .filter(
        ({ corrupted }) => compareScenario(corrupted, observed, new Comparison()) === undefined,
      )
      .map(({ path }) => path);

    expect(unnoticed).toEqual([]);
  });

  it.each([
    ['build_results', 'ok'],
    ['build_results', 'error'],
    ['remaining', 'remaining'],
    ['results_update', 'result'],
    ['to_tool_call_results', 'tool_call_results'],
    ['matches_tool_selector', 'matches'],
    ['keywords_search', 'names'],
  ])('detects every corruption of unit cases of %s: %s', (name, field) => {
    const units = (suite.units[name] ?? []).filter((unit) => unit[field] !== undefined);
    const spoiled = units.flatMap((unit) =>
      [...corruptions({ [field]: unit[field] })].map(({ path, corrupted }) => ({
        path,
        unit: { ...unit, [field]: undefined, ...corrupted },
      })),
    );

    const verdicts = namedUnits({ [name]: spoiled.map(({ unit }) => unit) }).map(
      ({ check }, index) => ({ path: spoiled[index]?.path, found: check?.(new Comparison()) }),
    );

    expect(verdicts.length).toBeGreaterThan(0);
    expect(verdicts.filter(({ found }) => found === undefined)).toEqual([]);
  });

  it('lists the fields that it does not compare', async () => {
    const { expected, ...scenario } = scenarioOf('loop/single_tool');
    const comparison = new Comparison();

    compareScenario(
      { ...expected, mood: 'good' },
      await runScenario({ ...scenario, expected }),
      comparison,
    );

    expect([...comparison.notCompared]).toEqual(['mood']);
  });
});

describe('replay of a folder of vectors', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'conformance-'));
    await mkdir(join(directory, 'vectors'));
  });

  afterEach(() => rm(directory, { recursive: true }));

  const add = (scenario: Scenario) =>
    writeFile(
      join(directory, 'vectors', `${scenario.name.replace('/', '__')}.json`),
      JSON.stringify(scenario),
    );

  it('passes when every vector does', async () => {
    await add(scenarioOf('loop/single_tool'));

    const { lines, exitCode } = await replaySuite({ directory });

    expect(lines.at(-1)).toBe('1 passed, 0 failed, 0 unsupported');
    expect(exitCode).toBe(0);
  });

  it('fails if one vector is corrupted, and reports the first difference', async () => {
    const scenario = scenarioOf('loop/single_tool');
    const expected = JSON.parse(
      JSON.stringify(scenario.expected).replace('"requests":2', '"requests":3'),
    );
    await add(scenarioOf('args/json_string'));
    await add({ ...scenario, expected });

    const { lines, exitCode } = await replaySuite({ directory });

    expect(lines).toContain('FAILED loop/single_tool: runs[0].usage.requests: expected 3, got 2');
    expect(lines.at(-1)).toBe('1 passed, 1 failed, 0 unsupported');
    expect(exitCode).toBe(1);
  });

  it('exits with code 1 if a vector is corrupted', async () => {
    const scenario = scenarioOf('loop/single_tool');
    await add({ ...scenario, expected: { ...scenario.expected, runs: [] } });

    const command = ['--conditions=holdpoint-source', 'replay.ts', directory];
    const { status, stdout } = spawnSync(process.execPath, command, {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      encoding: 'utf8',
    });

    expect(stdout.trimEnd().split('\n').at(-1)).toBe('0 passed, 1 failed, 0 unsupported');
    expect(status).toBe(1);
  });

  it.each<[string, (scenario: Scenario) => object]>([
    ['mood', (scenario) => ({ ...scenario, mood: 'good' })],
    [
      'runs[0].mood',
      ({ runs: [run], ...scenario }) => ({ ...scenario, runs: [{ ...run, mood: 1 }] }),
    ],
    [
      'agents.main.tools[0].behavior.do',
      ({ agents, ...scenario }) => ({
        ...scenario,
        agents: { main: { ...agents['main'], tools: [{ name: 'x', behavior: { do: 'dance' } }] } },
      }),
    ],
  ])('fails if a scenario has an unknown part: %s', async (path, change) => {
    await add(change(scenarioOf('loop/single_tool')) as Scenario);

    const { lines, exitCode } = await replaySuite({ directory });

    expect(lines[0]).toContain(`FAILED loop/single_tool: ${path}: expected `);
    expect(exitCode).toBe(1);
  });

  it('fails if a unit case is corrupted', async () => {
    const units = { resolve_conversation_id: [{ explicit: 'x', history_ids: [], result: 'y' }] };
    await writeFile(join(directory, 'units.json'), JSON.stringify(units));

    const { lines, exitCode } = await replaySuite({ directory });

    expect(lines.at(-1)).toBe('0 passed, 1 failed, 0 unsupported');
    expect(exitCode).toBe(1);
  });

  it('fails when it is empty', async () => {
    const { exitCode } = await replaySuite({ directory });

    expect(exitCode).toBe(1);
  });
});
