import type { WaitingDeferral } from '../execution/execute-batch.ts';
import { callDigest } from '../ledger/digest.ts';
import { schemaHash } from '../ledger/schema-hash.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { parseArgs } from '../tools/parse-args.ts';
import type { Round } from './round.ts';
import type { Run } from './run.ts';

/** Adds to calls that wait what whoever answers should know; digests only where somebody asked for them. */
export async function describeWaiting(run: Run, round: Round): Promise<void> {
  for (const { call, place } of round.waiting) {
    const deferral = round.deferrals[place]!;
    if (deferral.as !== 'approval') continue;
    const details = await describe(run, call, deferral);
    if (details !== deferral.details) round.deferrals[place] = { ...deferral, details };
  }
}

async function describe(
  run: Run,
  call: ToolCallPart,
  { details }: WaitingDeferral,
): Promise<CallDetails | undefined> {
  let known = details;
  if (!known?.deniedBefore && run.wasDenied(call)) {
    known = Object.freeze({ ...known, deniedBefore: true });
  }
  if (!run.wantsDigests || known?.digest !== undefined) return known;
  const tool = run.tools.get(call.toolName);
  const hash = tool && (await schemaHash(tool.definition));
  const described = { ...known, ...(hash !== undefined && { schemaHash: hash }) };
  const digest = await digestOfCall(run, run.parkedStep(), call, described);
  return Object.freeze({ ...described, digest });
}

/** The digest of a call that waits, from what is known about it. */
export function digestOfCall(
  run: Run,
  step: string,
  call: ToolCallPart,
  details: CallDetails | undefined,
): Promise<string> {
  const parsed = parseArgs(details?.args ?? call.args);
  return callDigest({
    step,
    index: run.indexOf(call),
    path: run.path,
    toolName: call.toolName,
    // What cannot be read is approved as the text that it is.
    args: parsed.ok ? parsed.value : call.args,
    schemaHash: details?.schemaHash,
    toolVersion: details?.version,
    preview: details?.preview,
  });
}
