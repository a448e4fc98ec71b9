import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

// Node keeps what it has compiled: every file of tests is a process, some start many, and they load much the same.
const compiled = new URL('node_modules/.cache/compiled', import.meta.url);
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(compiled);

// The packages are tested as source: no build comes before a test run.
// Node does not know `module`, under which some packages have files that only bundlers can load.
const ofNode = defaultServerConditions.filter((condition) => condition !== 'module');
const conditions = ['holdpoint-source', ...ofNode];

const ignored = ['**/node_modules/**', '**/dist/**'];
const platform = 'packages/*/test/{platform,mcp}/**/*.test.ts';

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    environment: 'node',
    // One less than there are processors would be one of two.
    maxWorkers: Math.max(2, availableParallelism() - 1),
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
          exclude: [...ignored, platform],
          setupFiles: ['packages/core/test/support/random-seed.ts'],
          // On a busy machine five seconds are over before a file has been read.
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
          ],
          // After the others, whose clocks they would disturb.
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
