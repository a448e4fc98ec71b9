import type { Deferral } from '../../execution/call-in-batch.ts';
import { frozenCopy } from '../../internal/json.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import type { PendingCallRecord } from '../../messages/step-record.ts';
import { parseArgs } from '../../tools/parse-args.ts';
import type { Run } from '../run.ts';

/** Returns the deferral of a call from its record in the history. */
export async function restoreDeferral(
  run: Run,
  call: ToolCallPart,
  open: PendingCallRecord,
): Promise<Deferral> {
  if (open.kind === 'agent') {
    return { kind: 'sub-agent', messages: open.messages, approval: open.approval };
  }
  const { kind, metadata, details } = open;
  const args =
    details?.validatedArgs ??
    (await validateRecordedArgs(run, call.toolName, details?.args ?? call.args));
  return { kind, metadata, checked: { args }, details, isDescribed: true };
}

/** Returns the arguments as the tool would get them, or as the model sent them if they are not valid. */
async function validateRecordedArgs(
  run: Run,
  toolName: string,
  args: ToolCallPart['args'],
): Promise<unknown> {
  const parsed = parseArgs(args);
  if (!parsed.ok) return args;
  const checked = await run.cancellation.guard(run.tools.get(toolName)?.check(parsed.value));
  return checked?.ok ? frozenCopy(checked.value) : parsed.value;
}
