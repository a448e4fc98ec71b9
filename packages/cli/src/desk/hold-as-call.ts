import type { HoldView } from '@holdpoint/desk/client';
import type { PendingCall } from '../terminal/pending-call.ts';
import { isObject } from '../terminal/show-value.ts';

/** A hold as the call that it is about, to be shown like the calls of a run at this terminal. */
export function holdAsCall(hold: HoldView): PendingCall {
  const { id, kind, toolName, path, args, checkedArgs, metadata } = hold;
  const { preview, digest, inDoubt, drifted, deniedBefore } = hold;
  return {
    id,
    kind,
    toolName,
    path: path.map((agent) => agent.toolName),
    // What is no object is text that is no JSON: nothing that an edit could begin with.
    args: isObject(args) ? args : {},
    sent: undefined,
    checked: checkedArgs ?? args,
    details: { preview, digest, inDoubt, drifted, deniedBefore },
    metadata,
  };
}
