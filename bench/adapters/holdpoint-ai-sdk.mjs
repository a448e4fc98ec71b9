/** Holdpoint on an unmodified AI SDK language model of specification v4. */
import { fakeModel } from './ai-model.mjs';
import { makeAgent } from './holdpoint-agent.mjs';

export { history, park, pause, resume, run, stream, streamUi } from './holdpoint-agent.mjs';

export const setup = (options) => makeAgent(fakeModel(options.script, options.inspect), options);
