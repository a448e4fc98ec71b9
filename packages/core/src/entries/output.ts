/** Types of output declarations. */

export type { OutputValidator } from '../execution/process-output.ts';
export {
  type MayDefer,
  type NativeOutputOptions,
  type NoOutput,
  type OutputChoice,
  type OutputChoiceOf,
  OutputDeclaration,
  type OutputDepsOf,
  type OutputExecute,
  type OutputForm,
  type OutputOf,
  type ToolOutputOptions,
} from '../output/output-spec.ts';
