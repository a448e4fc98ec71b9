import type { ModelCall } from '../model.ts';

/**
 * A call as it is now: its lists go on growing with the run, the copies do not.
 *
 * The signal is passed through, because it is only made when somebody reads it.
 */
export function recordedCall(call: ModelCall): ModelCall {
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
