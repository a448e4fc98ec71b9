import type { ToolCallPart } from '../messages/response-part.ts';

/** A call to a certain tool. `requests.get(call).args` returns its arguments with their type. */
export interface CallOf<out Args> extends ToolCallPart {
  /** Only for type inference. */
  readonly '~args'?: Args;
}

/** The validated arguments of calls that matched a tool. */
const validatedArgs = new WeakMap<ToolCallPart, { readonly args: unknown }>();

/** Stores the validated arguments of a call. */
export function storeValidatedArgs(call: ToolCallPart, args: unknown): void {
  validatedArgs.set(call, { args });
}

/** Returns the validated arguments of a call, or `undefined` if no tool matched it. */
export function validatedArgsOf(call: ToolCallPart): { readonly args: unknown } | undefined {
  return validatedArgs.get(call);
}
