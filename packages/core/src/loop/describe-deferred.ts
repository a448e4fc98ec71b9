import { Context } from '../context/context.ts';
import { describeCall } from '../gate/describe-call.ts';
import type { DecisionDeferral, Deferral } from '../execution/call-in-batch.ts';
import { type DigestedCall, callDigest, schemaHash } from '../ledger/digest.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { parseArgs } from '../tools/parse-args.ts';
import type { Round } from './round.ts';
import type { Run } from './run.ts';
import { frozenCopy } from '../internal/json.ts';
import { type PendingCallRecord, type StepRecord, stepRecordOf } from '../messages/step-record.ts';

/** Completes the approval requests of deferred calls, with a preview, warnings and a digest if one is needed. */
export async function describeDeferred(run: Run, round: Round): Promise<void> {
  for (const deferred of round.deferredCalls) {
    const deferral = round.deferralOf(deferred);
    if (deferral.kind !== 'approval') continue;
    const { call } = deferred;
    // A tool that requires approval while it executes has not previewed the call yet.
    const described = deferral.isDescribed
      ? deferral.details
      : await describeWithTool(run, call, deferral);
    const known =
      !described?.deniedBefore && run.wasDenied(call)
        ? Object.freeze({ ...described, deniedBefore: true })
        : described;
    // A digest makes sure that the next approval binds the value that drifted.
    const needsDigest = run.wantsDigests || known?.drifted === true;
    const details =
      needsDigest && known?.digest === undefined ? await withDigest(run, call, known) : known;
    if (deferral.isDescribed && details === deferral.details) continue;
    round.deferrals[deferred.index] = { ...deferral, details, isDescribed: true };
  }
}

/** Returns how often the current step was parked before a call of it is requested now. */
function parkingsSoFar(run: Run): number {
  const known = stepRecordOf(run.messages);
  if (!wasParked(known)) return 0;
  return (known.round ?? 0) + (isResumed(run) ? 1 : 0);
}

/** Returns whether a step was parked. A record without calls only names the step. */
export function wasParked(known: StepRecord | undefined): known is StepRecord {
  return known !== undefined && known.open.size > 0;
}

/** Returns whether the step was resumed. If it parks again, that is another round, also with the same pending calls. */
export function isResumed({ setup }: Run): boolean {
  return setup.deferredToolResults !== undefined;
}

async function withDigest(
  run: Run,
  call: ToolCallPart,
  known: CallDetails | undefined,
): Promise<CallDetails> {
  const tool = run.tools.get(call.toolName);
  const hash = tool && (await schemaHash(tool.definition));
  const requestedBefore = parkingsSoFar(run);
  const described = {
    ...known,
    ...(hash !== undefined && { schemaHash: hash }),
    ...(requestedBefore > 0 && { requestedBefore }),
  };
  const origin = { step: run.stepName(), index: run.indexOf(call), path: run.path };
  const digest = await digestOfCall(origin, call, described);
  return Object.freeze({ ...described, digest });
}

async function describeWithTool(
  run: Run,
  call: ToolCallPart,
  { checked, details }: DecisionDeferral,
): Promise<CallDetails | undefined> {
  const tool = run.tools.get(call.toolName);
  if (tool === undefined) return details;
  const approval = {
    inputs: details?.earlier?.inputs,
    questionState: details?.questionState,
    isApproved: false,
  };
  const ctx = new Context<never>(run, { call, approval });
  const candidate = { tool, ctx, parent: run.cancellation };
  const parsed = parseArgs(details?.args ?? call.args);
  const sent = parsed.ok ? parsed.value : undefined;
  const known = await describeCall(candidate, checked ?? { args: sent }, sent);
  return known === undefined ? details : Object.freeze({ ...known, ...details });
}

/** Returns the digest of an approval request. */
export function digestOfCall(
  origin: Pick<DigestedCall, 'step' | 'index' | 'path'>,
  call: ToolCallPart,
  details: CallDetails | undefined,
): Promise<string> {
  const parsed = parseArgs(details?.args ?? call.args);
  // Arguments that are not JSON are bound as text.
  const args = parsed.ok ? parsed.value : JSON.stringify(call.args);
  return callDigest({
    ...origin,
    toolName: call.toolName,
    args,
    validatedArgs: details?.inputOnly ? undefined : (details?.validatedArgs ?? args),
    schemaHash: details?.schemaHash,
    toolVersion: details?.version,
    preview: details?.preview,
    inDoubt: details?.inDoubt?.attempt,
    requestedBefore: details?.requestedBefore,
    deferral: deferralIn(details),
  });
}

/** Returns the question, its state and the earlier decisions as the digest covers them. */
function deferralIn(details: CallDetails | undefined): object | undefined {
  const { question, questionState: state, earlier } = details ?? {};
  if (question === undefined && earlier === undefined) return undefined;
  return { question: question ?? null, ...(state && { state }), earlier: earlier ?? null };
}

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
