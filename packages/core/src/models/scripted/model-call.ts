import type { ModelCall } from '../model.ts';

/** Creates a request to a model with empty defaults, to test a `Model` without a run. */
export function modelCall(fields: Partial<ModelCall> = {}): ModelCall {
  return {
    messages: [],
    instructions: undefined,
    functionTools: [],
    outputTools: [],
    nativeTools: [],
    allowText: true,
    outputSchema: undefined,
    settings: undefined,
    signal: new AbortController().signal,
    ...fields,
  };
}

/**
 * Copies a request with its lists, which the run extends later.
 *
 * The signal is read from the original request, because reading it creates one.
 */
export function copyModelCall(call: ModelCall): ModelCall {
  return {
    messages: [...call.messages],
    instructions: call.instructions,
    functionTools: [...call.functionTools],
    outputTools: [...call.outputTools],
    nativeTools: [...call.nativeTools],
    allowText: call.allowText,
    outputSchema: call.outputSchema,
    settings: call.settings,
    get signal() {
      return call.signal;
    },
  };
}
