import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

// The packages are tested as source: no build comes before a test run.
const conditions = ['holdpoint-source', ...defaultServerConditions];

const ignored = ['**/node_modules/**', '**/dist/**'];
const platform = 'packages/*/test/{platform,mcp}/**/*.test.ts';

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    environment: 'node',
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
        },
      },
      {
        // Real browsers, compilers and processes: slow, and of no use to who works on one file.
        extends: true,
        test: {
          name: 'platform',
          include: [platform],
          exclude: ignored,
          globalSetup: ['packages/core/test/support/chromium.ts'],
          // After the others, whose clocks they would disturb.
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
