import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Node keeps what it has compiled: many files start processes, and they load much the same.
const compiled = new URL('node_modules/.cache/compiled', import.meta.url);
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(compiled);

// The packages are tested as source: no build comes before a test run.
// Node does not know `module`, under which some packages have files that only bundlers can load.
const ofNode = defaultServerConditions.filter((condition) => condition !== 'module');
const conditions = ['holdpoint-source', ...ofNode];

/** `npm run soak` executes the suites of the desk with an engine: `openDesk` is replaced. */
const alias =
  process.env['DESK_ENGINE'] === undefined
    ? []
    : [
        {
          find: /^@holdpoint\/desk$/,
          replacement: join(
            import.meta.dirname,
            'packages/restate/test/support/desk-with-engine.ts',
          ),
        },
      ];

const ignored = ['**/node_modules/**', '**/dist/**'];
const platform = 'packages/*/test/{platform,mcp}/**/*.test.ts';

/**
 * Tests that leave nothing behind in their process, so that many files can share one. A desk that the CLI serves leaves
 * a timer, and fault injection replaces the timers.
 */
const sharing = globSync(
  [
    'packages/{core,desk}/src/**/*.test.ts',
    'packages/*/test/scenarios/**/*.test.ts',
    'packages/core/test/{ag-ui,ai-sdk-ui,every-path-to-a-tool,interop,ledger}/**/*.test.ts',
    'packages/core/test/{mistakes,nested-deferral,providers,sealed}/**/*.test.ts',
    'packages/core/test/guarantees/{,examples/}*.test.ts',
    'packages/desk/test/{http,mistakes,page}/**/*.test.ts',
    'packages/cli/src/{acp,chat,operate,terminal}/**/*.test.ts',
    'packages/restate/test/*.test.ts',
    'conformance/**/*.test.ts',
  ],
  { cwd: import.meta.dirname, exclude: ignored },
  // Other files would notice a module that `vi.mock` replaced.
).filter((path) => !readFileSync(join(import.meta.dirname, path), 'utf8').includes('vi.mock('));

/** The files that take longest. They start first, so that all workers end at about the same time. */
const LONGEST = [
  'desk/test/property/planted-bugs',
  'desk/test/property/decisions',
  'desk/test/property/people-bugs',
  'core/test/docs/examples',
  'desk/test/platform/planted-removals',
  'cli/test/platform/desk-processes',
  'cli/test/platform/mcp',
  'desk/test/platform/crashes',
  'desk/test/platform/page/views',
  'core/test/platform/docs-site',
  'desk/test/platform/decisions',
  'restate/test/platform/storm',
  'desk/test/platform/postgres-store',
  'core/test/platform/readme-outside',
  'cli/test/platform/chat',
  'cli/test/platform/terminal-handler',
];

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
  resolve: { conditions, alias },
  ssr: { resolve: { conditions } },
  test: {
    environment: 'node',
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
          exclude: [...ignored, platform, ...sharing],
          setupFiles: ['packages/core/test/support/random-seed.ts'],
          // On a busy machine five seconds are over before a file has been read.
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'unit-sharing',
          include: sharing,
          // Each file would load the same sources again in a process of its own.
          isolate: false,
          setupFiles: ['packages/core/test/support/random-seed.ts'],
          testTimeout: 20_000,
        },
      },
      {
        // Real browsers, compilers and processes: slow, and of no use to who works on one file.
        extends: true,
        test: {
          name: 'platform',
          include: [platform],
          exclude: ignored,
          globalSetup: [
            'packages/core/test/support/chromium.ts',
            'packages/desk/test/support/built-page.ts',
            'packages/desk/test/platform/support/new-postgres.ts',
          ],
          // After the others, whose clocks they would disturb.
          sequence: { groupOrder: 1 },
          // They often wait for a browser, a terminal or another process.
          maxWorkers: Math.max(3, availableParallelism()),
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
