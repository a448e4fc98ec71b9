import type { ApprovalDescriptor } from '../front-end/call-values.ts';
import type { AgUiAttribution } from './ag-ui-message.ts';

/** An approval request or a question in the form of AG-UI. */
export interface AgUiInterrupt extends AgUiAttribution {
  /** The id of the pending call. It is unique within the thread. */
  readonly id: string;
  /** `tool_call`: the call needs approval. `input_required`: the call has a question. */
  readonly reason: 'tool_call' | 'input_required';
  /** The question of the call, its preview, or a text with the name of its tool. */
  readonly message: string;
  readonly toolCallId: string;
  /** The JSON schema of the decision, or of the input. */
  readonly responseSchema: Readonly<Record<string, unknown>>;
  readonly metadata: { readonly holdpoint: ApprovalDescriptor };
}
