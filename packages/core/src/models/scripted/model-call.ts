import type { ModelCall } from '../model.ts';

/** A request to a model with nothing in it but what is given, for trying out a `Model` by itself. */
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
