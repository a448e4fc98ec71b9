import { defineConfig } from 'vite';

// What the desk serves at /inbox: one script and one style sheet, with names that change with what is
// in them. The desk writes the document itself.
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
    rolldownOptions: { input: `${import.meta.dirname}/main.tsx` },
  },
});
