// Builds the page of the desk unless the existing build is newer than its sources.
import { existsSync, globSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const desk = fileURLToPath(new URL('../packages/desk', import.meta.url));
const built = `${desk}/dist/page/manifest.json`;

const sources = globSync([`${desk}/page/**/*.{ts,tsx,css}`, `${desk}/src/http/client/*.ts`]);
const changedAt = Math.max(...sources.map((file) => statSync(file).mtimeMs));
if (!existsSync(built) || statSync(built).mtimeMs < changedAt) {
  // vitest sets `NODE_ENV` to `test`, and the page would then be built for development.
  process.env['NODE_ENV'] = 'production';
  await build({ configFile: `${desk}/page/vite.config.ts` });
}
