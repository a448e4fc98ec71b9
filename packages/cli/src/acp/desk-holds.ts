import type { PermissionOption } from '@agentclientprotocol/sdk';
import { type Decision, DeskError, type GrantRequest, type HoldRow } from '@holdpoint/desk';
import type { JsonObject } from 'holdpoint';
import type { PendingCall } from '../terminal/pending-call.ts';
import type { DeskUser } from './desk-user.ts';
import { choose, OPTIONS } from './permissions.ts';
import { requestInput } from './questions.ts';
import type { TurnContext } from './turn-context.ts';

/** A choice of the user of the editor about a hold. */
interface Choice {
  readonly decision: Decision;
  readonly grant?: GrantRequest;
}

/**
 * Requests a decision for each open hold of a run that the user of the editor may decide.
 * `obsolete` aborts when the run continues after decisions in another client. Returns the holds
 * that other people must decide.
 */
export async function decideHolds(
  holds: readonly HoldRow[],
  user: DeskUser,
  turn: TurnContext,
  obsolete: AbortSignal,
): Promise<readonly HoldRow[]> {
  const waiting: HoldRow[] = [];
  for (const hold of holds) {
    if (obsolete.aborted) return [];
    const choice = await choiceFor(hold, user, turn, obsolete);
    if (obsolete.aborted) return [];
    const isSettled = choice !== undefined && (await record(hold, choice, user, turn));
    if (!isSettled) waiting.push(hold);
  }
  return waiting;
}

/**
 * Returns the choice of the user, or `undefined` if the call must be decided by another person or
 * in another client.
 */
async function choiceFor(
  hold: HoldRow,
  user: DeskUser,
  turn: TurnContext,
  obsolete: AbortSignal,
): Promise<Choice | undefined> {
  const { desk, person: by, roles } = user;
  const rights = await desk.rightsOf(hold, { by, roles });
  const toolCallId = turn.updates.idOf(callOf(hold));
  const toolCall = await turn.updates.showPending(pendingCallOf(hold), toolCallId);
  // The inbox shows the votes and the proposals of other approvers.
  const isForOthers = (rights.whyNotApprove ?? rights.whyNotDecide) !== undefined;
  if (isForOthers || hold.proposal !== undefined || hold.kind === 'external') return undefined;
  try {
    if (hold.kind === 'question') {
      const response = await requestInput(hold.question, toolCallId, turn);
      if (response === undefined) return undefined;
      return 'input' in response
        ? { decision: { kind: 'input', value: response.input } }
        : { decision: { kind: 'deny', reason: response.denied } };
    }
    const grant = grantFor(hold);
    const chosen = await choose(toolCall, optionsFor(grant), turn, obsolete);
    if (chosen === 'deny') return { decision: { kind: 'deny' } };
    return { decision: { kind: 'approve' }, ...(chosen === 'always' && grant && { grant }) };
  } catch (error) {
    // The request was withdrawn, because the call was decided in another client.
    if (obsolete.aborted && !turn.signal.aborted) return undefined;
    throw error;
  }
}

/** Records a decision. Returns false if the hold stays open, and reports to the user if the desk rejects the decision. */
async function record(
  { id, digest }: HoldRow,
  { decision, grant }: Choice,
  { desk, person: by, roles }: DeskUser,
  turn: TurnContext,
): Promise<boolean> {
  try {
    const { state } = await desk.decide(id, decision, {
      by,
      roles,
      digest,
      ...(grant && { grant }),
    });
    return state !== 'open';
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    await turn.updates.text(`${error.message}\n\n`);
    return (await desk.hold(id)).state !== 'open';
  }
}

/** Returns the grant that `allow_always` requests; `undefined` if the policy allows none, or the call has a warning. */
function grantFor({
  approvers,
  inDoubt,
  drifted,
  deniedBefore,
}: HoldRow): GrantRequest | undefined {
  const widest = approvers?.grants ?? 'never';
  if (widest === 'never' || inDoubt !== undefined || drifted || deniedBefore) return undefined;
  // "Always" of one user does not mean the runs of other users.
  return { match: 'tool', scope: widest === 'conversation' ? 'conversation' : 'requester' };
}

function optionsFor(grant: GrantRequest | undefined): readonly PermissionOption[] {
  if (grant === undefined) return OPTIONS;
  const where = grant.scope === 'conversation' ? 'in this conversation' : 'for my runs';
  const name = `Approve all calls of this tool ${where}`;
  return [...OPTIONS, { optionId: 'always', name, kind: 'allow_always' }];
}

/** Returns the path and the id of a call as the run emits them. */
function callOf({ key, path }: HoldRow) {
  const id = key.split('/').at(-1) ?? key;
  const toolCallId = path.length === 0 ? key : id.replaceAll('~1', '/').replaceAll('~0', '~');
  return { path, toolCallId };
}

function pendingCallOf(hold: HoldRow): PendingCall {
  const { id, toolName, title, kind, path, args, digest, preview } = hold;
  const { inDoubt, drifted, deniedBefore, metadata, question } = hold;
  const validatedArgs = hold.validatedArgs ?? args;
  return {
    id,
    toolName,
    title,
    kind,
    path: path.map((agent) => agent.toolName),
    // A pending call has arguments that were parsed to an object.
    args: args as JsonObject,
    sent: undefined,
    validatedArgs,
    details: {
      digest,
      validatedArgs,
      ...(preview !== undefined && { preview }),
      ...(question && { question: { message: question.message, schema: question.schema } }),
      ...(inDoubt && { inDoubt }),
      ...(drifted && { drifted }),
      ...(deniedBefore && { deniedBefore }),
    },
    metadata,
  };
}
