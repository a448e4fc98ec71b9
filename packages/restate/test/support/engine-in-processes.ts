// Loaded with `--import` into processes that the suites of the desk start. They open desks with an engine, as the
// alias in `vitest.config.ts` does for the tests themselves.
import { registerHooks } from 'node:module';

const replacement = new URL('desk-with-engine.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    return specifier === '@holdpoint/desk'
      ? { url: replacement, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context);
  },
});
