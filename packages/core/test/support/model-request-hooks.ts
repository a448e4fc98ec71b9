import { type Capability, ModelError } from 'holdpoint';
import type { ModelResponseData } from 'holdpoint/models';
import { capability } from './capabilities.ts';

/** What a model throws that cannot be reached. */
export const broken = new ModelError('The model is away.', { modelName: 'scripted' });

/** The reply of a model that says this. */
export const saying = (content: string): ModelResponseData => ({
  parts: [{ kind: 'text', content }],
});

/** A capability that writes down what it asks for and what it gets. */
export function noting(log: string[], name: string): Capability {
  return {
    name,
    async wrapModelRequest(call, next) {
      log.push(`${name} asks`);
      const reply = await next(call);
      log.push(`${name} got it`);
      return reply;
    },
  };
}

/** Asks once more when the model fails. */
export const trying = capability({
  wrapModelRequest: (call, next) => next(call).catch(() => next(call)),
});
