import { tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';

/** Creates a model that calls a tool once in each run, and then finishes. */
export const callOnce = (toolName: string) =>
  functionModel(({ messages }) =>
    messages.at(-1)?.parts.some((part) => part.kind === 'tool-return')
      ? says('Done.')
      : calls(toolName),
  );

/** A tool that always throws. */
export const broken = tool({
  name: 'broken',
  execute: () => Promise.reject(new RangeError('broken')),
});
