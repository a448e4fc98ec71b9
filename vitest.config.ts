import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

// The packages are tested as source: no build comes before a test run.
const conditions = ['holdpoint-source', ...defaultServerConditions];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      'packages/*/{src,test}/**/*.test.ts',
      'conformance/**/*.test.ts',
      'examples/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    environment: 'node',
  },
});
