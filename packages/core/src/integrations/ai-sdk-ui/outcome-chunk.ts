import type { ShownOutcome } from '../front-end/call-values.ts';
import type { UiToolOutputChunk } from './ui-message-chunk.ts';

/** Returns the chunk that ends a call. */
export function outcomeChunk(
  toolCallId: string,
  outcome: ShownOutcome,
  providerExecuted?: true,
): UiToolOutputChunk {
  const native = providerExecuted && { providerExecuted };
  switch (outcome.kind) {
    case 'output':
      return { type: 'tool-output-available', toolCallId, output: outcome.output, ...native };
    case 'error':
      return { type: 'tool-output-error', toolCallId, errorText: outcome.errorText, ...native };
    case 'denied':
      return { type: 'tool-output-denied', toolCallId };
  }
}
