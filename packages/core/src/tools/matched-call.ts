import type { ToolCallPart } from '../messages/response-part.ts';

/** A call to a certain tool; `requests.get(call).args` gives its arguments with their type. */
export interface CallOf<out Args> extends ToolCallPart {
  /** Only for type inference. */
  readonly '~args'?: Args;
}

/** Checked arguments of calls that a tool has looked at. */
const checkedArgs = new WeakMap<ToolCallPart, { readonly args: unknown }>();

/** Remembers the checked arguments of a call. */
export function storeValidatedArgs(call: ToolCallPart, args: unknown): void {
  checkedArgs.set(call, { args });
}

/** The checked arguments of a call, if a tool has looked at it. */
export function validatedArgsOf(call: ToolCallPart): { readonly args: unknown } | undefined {
  return checkedArgs.get(call);
}
