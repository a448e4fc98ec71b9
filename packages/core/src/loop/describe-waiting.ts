import { eachInTurn, type MaybePromise } from '../context/chain.ts';
import { Context } from '../context/context.ts';
import { describeCall } from '../gate/describe-call.ts';
import type { CheckedArgs } from '../deferred/requests.ts';
import type { CallInBatch, DecisionDeferral } from '../execution/call-in-batch.ts';
import { callDigest, type DigestedCall } from '../ledger/digest.ts';
import { schemaHash } from '../ledger/schema-hash.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { parseArgs } from '../tools/parse-args.ts';
import type { Round } from './round.ts';
import type { Run } from './run.ts';

/** Adds to calls that wait what whoever answers should know; digests only where somebody asked for them. */
export function describeWaiting(run: Run, round: Round): MaybePromise<unknown> {
  return eachInTurn(round.waiting, (waiting) => {
    const deferral = round.deferralOf(waiting);
    if (deferral.as !== 'approval') return;
    const details = describe(run, waiting.call, deferral);
    if (details === deferral.details && deferral.isDescribed) return;
    return putDetails(round, waiting, deferral, details);
  });
}

async function putDetails(
  round: Round,
  { place }: CallInBatch,
  deferral: DecisionDeferral,
  details: MaybePromise<CallDetails | undefined>,
): Promise<void> {
  round.deferrals[place] = { ...deferral, details: await details, isDescribed: true };
}

function describe(
  run: Run,
  call: ToolCallPart,
  { details, checked, isDescribed }: DecisionDeferral,
): MaybePromise<CallDetails | undefined> {
  if (isDescribed) return withWarning(run, call, details);
  // A tool that asks for approval while it runs was not asked before what the call will do.
  return describeNow(run, call, checked, details).then((known) => withWarning(run, call, known));
}

/** With what there is to be careful about; and with a digest, where they are wanted. */
function withWarning(
  run: Run,
  call: ToolCallPart,
  details: CallDetails | undefined,
): MaybePromise<CallDetails | undefined> {
  const known =
    !details?.deniedBefore && run.wasDenied(call)
      ? Object.freeze({ ...details, deniedBefore: true })
      : details;
  // A digest makes sure that the next approval binds the value that drifted.
  const needsDigest = run.wantsDigests || known?.drifted === true;
  return needsDigest && known?.digest === undefined ? withDigest(run, call, known) : known;
}

async function withDigest(
  run: Run,
  call: ToolCallPart,
  known: CallDetails | undefined,
): Promise<CallDetails> {
  const tool = run.tools.get(call.toolName);
  const hash = tool && (await schemaHash(tool.definition));
  const described = { ...known, ...(hash !== undefined && { schemaHash: hash }) };
  const place = { step: run.stepName(), index: run.indexOf(call), path: run.path };
  const digest = await digestOfCall(place, call, described);
  return Object.freeze({ ...described, digest });
}

async function describeNow(
  run: Run,
  call: ToolCallPart,
  checked: CheckedArgs | undefined,
  details: CallDetails | undefined,
): Promise<CallDetails | undefined> {
  const tool = run.tools.get(call.toolName);
  if (tool === undefined) return details;
  const ctx = new Context<never>(run, { call });
  const looked = { tool, ctx, parent: run.cancellation };
  const parsed = parseArgs(details?.args ?? call.args);
  const sent = parsed.ok ? parsed.value : undefined;
  const known = await describeCall(looked, checked ?? { args: sent }, sent);
  return known === undefined ? details : Object.freeze({ ...known, ...details });
}

/** The digest of a call that waits, from what is known about it. */
export function digestOfCall(
  place: Pick<DigestedCall, 'step' | 'index' | 'path'>,
  call: ToolCallPart,
  details: CallDetails | undefined,
): Promise<string> {
  const parsed = parseArgs(details?.args ?? call.args);
  // Arguments that cannot be parsed are bound as the text that they are.
  const args = parsed.ok ? parsed.value : JSON.stringify(call.args);
  return callDigest({
    ...place,
    toolName: call.toolName,
    args,
    validatedArgs: details?.inputOnly ? undefined : (details?.validatedArgs ?? args),
    schemaHash: details?.schemaHash,
    toolVersion: details?.version,
    preview: details?.preview,
    inDoubt: details?.inDoubt?.attempt,
  });
}
