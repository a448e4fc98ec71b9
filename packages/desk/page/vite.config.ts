import { defineConfig } from 'vite';

// Builds one script and one style sheet with hashed names. The desk writes the document itself.
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    manifest: 'manifest.json',
    license: { fileName: 'licenses.md' },
    modulePreload: false,
    target: 'es2023',
    rolldownOptions: {
      input: `${import.meta.dirname}/main.tsx`,
      // TanStack Query marks its modules with "use client", which means nothing here.
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
});
