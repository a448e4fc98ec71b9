import { type Capability, ModelError } from 'holdpoint';
import type { ModelResponseData } from 'holdpoint/models';
import { capability } from './capabilities.ts';

/** The error of an unreachable model. */
export const broken = new ModelError('The model is away.', { modelName: 'scripted' });

/** Returns a response with this text. */
export const saying = (content: string): ModelResponseData => ({
  parts: [{ kind: 'text', content }],
});

/** Creates a capability that logs its model requests and responses. */
export function noting(log: string[], name: string): Capability {
  return {
    name,
    async wrapModelRequest(call, next) {
      log.push(`${name} asks`);
      const response = await next(call);
      log.push(`${name} got it`);
      return response;
    },
  };
}

/** Asks once more when the model fails. */
export const trying = capability({
  wrapModelRequest: (call, next) => next(call).catch(() => next(call)),
});
