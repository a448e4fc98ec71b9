// Loaded with `--import` into the test workers of `npm run soak`, and into the processes that the tests start. They open
// desks with an engine.
import { registerHooks } from 'node:module';

const replacement = new URL('desk-with-engine.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    return specifier === '@holdpoint/desk'
      ? { url: replacement, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context);
  },
});
