import { openDesk as open } from '../../../desk/src/index.ts';
import { restateEngine } from '../../src/engine/restate-engine.ts';

export * from '../../../desk/src/index.ts';

/**
 * Opens a desk with an engine. `npm run soak` executes the suites of the desk with this in place of `openDesk`. The
 * engine has no server, because these suites execute tasks themselves.
 */
export const openDesk: typeof open = (options) => {
  const desk = open(options);
  desk.useEngine(restateEngine({ ingress: 'http://127.0.0.1:9', onError: () => {} }));
  return desk;
};
