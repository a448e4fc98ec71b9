import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Node keeps what it has compiled: many files start processes, and they load much the same.
const compiled = new URL('node_modules/.cache/compiled', import.meta.url);
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(compiled);

const ignored = ['**/node_modules/**', '**/dist/**'];
const platform = [
  'packages/*/test/{platform,mcp}/**/*.test.ts',
  // They start processes of low priority, which use the time in which other tests of this project wait.
  'packages/desk/test/property/{decisions-*,people,people-bugs,planted-bugs}.test.ts',
];

/**
 * Tests that leave nothing behind in their process, so that many files can share one. A desk that the CLI serves leaves
 * a timer, and fault injection replaces the timers.
 */
const sharing = globSync(
  [
    'packages/{core,desk}/src/**/*.test.ts',
    'packages/*/test/scenarios/**/*.test.ts',
    'packages/{core,create-holdpoint,desk}/test/*.test.ts',
    'packages/core/test/docs/{documents,from-pydantic-ai,readme}.test.ts',
    'packages/core/test/{ag-ui,ai-sdk-ui,every-path-to-a-tool,interop,ledger}/**/*.test.ts',
    'packages/core/test/{mistakes,nested-deferral,providers,sealed}/**/*.test.ts',
    'packages/core/test/guarantees/{,examples/}*.test.ts',
    'packages/desk/test/{http,mistakes,page}/**/*.test.ts',
    'packages/cli/src/{acp,chat,operate,terminal}/**/*.test.ts',
    'packages/restate/test/*.test.ts',
    'bench/**/*.test.mjs',
    'conformance/**/*.test.ts',
  ],
  { cwd: import.meta.dirname, exclude: ignored },
  // Other files would notice a module that `vi.mock` replaced.
).filter((path) => !readFileSync(join(import.meta.dirname, path), 'utf8').includes('vi.mock('));

/**
 * The files that take longest. They start first, so that all workers end at about the same time. Those with processes
 * of low priority are spread among the others.
 */
const LONGEST = [
  'core/test/docs/examples',
  'desk/test/property/decisions-1',
  'desk/test/property/planted-bugs',
  'desk/test/platform/crashes',
  'cli/test/platform/desk-processes',
  'core/test/platform/docs-site',
  'desk/test/platform/planted-removals',
  'cli/test/platform/mcp',
  'desk/test/platform/page/views',
  'desk/test/platform/decisions',
  'restate/test/platform/storm',
  'desk/test/property/decisions-2',
  'core/test/platform/readme-outside',
  'desk/test/platform/postgres-store',
  'cli/test/platform/chat',
  'cli/test/platform/terminal-handler',
  'desk/test/property/people-bugs',
  'desk/test/platform/http/postgres',
  'desk/test/platform/two-versions',
  'restate/test/platform/parked-runs',
  'desk/test/property/decisions-3',
  'cli/test/platform/acp-desk',
  'core/test/platform/chat-ui',
  'core/test/platform/consumer',
  'desk/test/platform/page/deciding',
  'desk/test/platform/page/drafts',
  'desk/test/platform/page/live',
  'desk/test/platform/page/arrow-keys',
  'desk/test/platform/page/keyboard.test',
  'desk/test/platform/http/server',
  'cli/test/platform/desk.test',
  'desk/test/property/decisions-4',
];

/** The global setup of scenarios on PostgreSQL, if `npm run soak` executes them. Each file has a server then. */
const ON_POSTGRES =
  process.env['SCENARIOS_ON'] === 'postgres'
    ? ['packages/desk/test/platform/support/new-postgres.ts']
    : [];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- This is a method of the sequencer.
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

/** Files of one project stay together, because a worker serves one project. */
function rankOf({ project, moduleId }: TestSpecification): number {
  const index = LONGEST.findIndex((path) => moduleId.includes(`/packages/${path}`));
  const group = ['unit', 'unit-sharing', 'platform'].indexOf(project.name);
  return group * 2 * LONGEST.length + (index === -1 ? LONGEST.length : index);
}

export default defineConfig({
  test: {
    environment: 'node',
    // Node loads the sources itself, as it does in other processes. It is faster, and modules of Vite read each import
    // through a getter.
    experimental: { viteModuleRunner: false },
    // The packages are tested as source: no build comes before a test run.
    execArgv: ['--conditions=holdpoint-source'],
    // Some tests wait for timers and other processes, so two workers would leave two processors idle at times.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'packages/*/{src,test}/**/*.test.ts',
            'conformance/**/*.test.ts',
            'examples/**/*.test.ts',
            'bench/**/*.test.mjs',
          ],
          exclude: [...ignored, ...platform, ...sharing],
          setupFiles: ['packages/core/test/support/random-seed.ts'],
          // On a busy machine five seconds are over before a file has been read.
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'unit-sharing',
          include: sharing,
          // Each file would load the same sources again in a process of its own.
          isolate: ON_POSTGRES.length > 0,
          globalSetup: ON_POSTGRES,
          setupFiles: ['packages/core/test/support/random-seed.ts'],
          testTimeout: 60_000,
        },
      },
      {
        // Real browsers, compilers and processes: slow, and of no use to who works on one file.
        extends: true,
        test: {
          name: 'platform',
          include: platform,
          exclude: ignored,
          globalSetup: [
            'packages/core/test/support/chromium.ts',
            'packages/desk/test/support/built-page.ts',
            'packages/desk/test/platform/support/new-postgres.ts',
          ],
          // After the others, whose clocks they would disturb.
          sequence: { groupOrder: 1 },
          // They often wait for a browser, a terminal or another process. One of them has a low priority most of the time.
          maxWorkers: Math.max(5, availableParallelism() + 1),
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
