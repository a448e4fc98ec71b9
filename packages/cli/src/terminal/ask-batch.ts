import { S_INFO, S_STEP_SUBMIT } from '@clack/prompts';
import {
  type ApprovalDecision,
  type DeferredToolRequests,
  type DeferredToolResults,
  type ExternalResult,
  ModelRetry,
  ToolApproved,
  ToolInput,
} from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';
import { askApproval, askExternal, type CallDecision, type OtherCalls } from './ask-call.ts';
import { askQuestion } from './ask-question.ts';
import { batchTitle, brief, showBatch, showCall } from './calls.ts';
import { type PendingCall, pendingCalls, warningsOf } from './pending-call.ts';
import type { PromptContext } from './prompter.ts';
import { cut } from './width.ts';

/** The rows of a prompt and the lines around it. */
const PROMPT_ROWS = 14;
const MIN_ROWS = 6;

/** The agent of a batch, and the approvals of the session. */
interface Session {
  readonly agent: string | undefined;
  readonly approvals: SessionApprovals;
}

/** Prompts for the decision on each call of a batch. */
export async function askBatch(
  context: PromptContext,
  requests: DeferredToolRequests,
  { agent, approvals }: Session,
): Promise<DeferredToolResults> {
  const { screen } = context;
  const calls = pendingCalls(requests);
  const decisions = new BatchDecisions();
  screen.open(batchTitle(calls, agent));
  if (calls.length > 1) {
    const room = Math.max(MIN_ROWS, screen.rows - 4);
    screen.block([{ text: '' }, ...showBatch(calls, screen.columns)], room, 'each follows below');
  }
  let approvesRest = false;
  for (const [index, call] of calls.entries()) {
    if (approvals.covers(agent, call)) {
      showApproved(context, call, 'approved for this session');
      decisions.add(call, { kind: 'approval', decision: true });
    } else if (approvesRest && hasOnlyApproval(call)) {
      showApproved(context, call, 'approved with the others');
      decisions.add(call, { kind: 'approval', decision: true });
    } else {
      const decision = await askCall(context, calls, index);
      if (decision.kind === 'approve-rest') approvesRest = true;
      if (decision.kind === 'approve-always') approvals.add(agent, call);
      decisions.add(call, decision);
    }
  }
  screen.close({ text: decisions.summary(), style: 'dim' });
  return decisions.toResults(requests);
}

/**
 * Returns true if a call can be approved together with others. A call with a warning needs a
 * separate decision.
 */
function hasOnlyApproval(call: PendingCall): boolean {
  return call.kind === 'approval' && warningsOf(call).length === 0;
}

function othersAfter(calls: readonly PendingCall[], index: number): OtherCalls {
  const approvals = calls.slice(index + 1).filter(({ kind }) => kind === 'approval');
  const plain = approvals.filter(hasOnlyApproval).length;
  return { plain, withWarning: approvals.length - plain };
}

const NEEDS: Readonly<Record<PendingCall['kind'], string>> = {
  approval: '  needs approval',
  question: '  has a question',
  external: '  needs a result',
};

async function askCall(
  context: PromptContext,
  calls: readonly PendingCall[],
  index: number,
): Promise<CallDecision> {
  const { screen, prompter } = context;
  // The index comes from these calls.
  const call = calls[index] as PendingCall;
  const position = calls.length === 1 ? '' : `${index + 1} of ${calls.length} · `;
  screen.head(S_INFO, 'blue', {
    label: { text: `${position}${call.toolName}`, style: 'bold' },
    text: NEEDS[call.kind],
    style: 'dim',
  });
  const room = Math.max(MIN_ROWS, screen.rows - PROMPT_ROWS);
  const isFolded = screen.block(showCall(call), room, 'choose “Show everything”');
  await prompter.discardTyped();
  if (call.kind === 'question') return askQuestion(context, call);
  if (call.kind === 'external') return askExternal(context, call, isFolded);
  return askApproval(context, call, {
    others: othersAfter(calls, index),
    isFolded: isFolded || call.details.preview !== undefined,
  });
}

function showApproved({ screen }: PromptContext, call: PendingCall, reason: string): void {
  const room = Math.max(8, screen.columns - call.toolName.length - reason.length - 4);
  screen.head(S_STEP_SUBMIT, 'green', {
    label: { text: call.toolName, style: 'bold' },
    text: `  ${cut(brief(call), room)}  ${reason}`,
    style: 'dim',
  });
}

/** The decisions of a batch. */
class BatchDecisions {
  readonly #approvals: [string, ApprovalDecision][] = [];
  readonly #calls: [string, ExternalResult][] = [];

  add({ id }: PendingCall, decision: CallDecision): void {
    if (decision.kind === 'result') this.#calls.push([id, decision.result]);
    else this.#approvals.push([id, decision.kind === 'approval' ? decision.decision : true]);
  }

  summary(): string {
    const approved = this.#approvals.filter(([, decision]) => isApproved(decision)).length;
    const inputs = this.#approvals.filter(([, decision]) => decision instanceof ToolInput).length;
    const requested = this.#approvals.filter(
      ([, decision]) => decision instanceof ModelRetry,
    ).length;
    const denied = this.#approvals.length - approved - inputs - requested;
    const recorded = this.#calls.length;
    const parts = [
      ...(approved > 0 ? [`${approved} approved`] : []),
      ...(inputs > 0 ? [`${inputs} ${inputs === 1 ? 'input' : 'inputs'} recorded`] : []),
      ...(denied > 0 ? [`${denied} denied`] : []),
      ...(requested > 0 ? [`changes requested of ${requested}`] : []),
      ...(recorded > 0 ? [`${recorded} ${recorded === 1 ? 'result' : 'results'} recorded`] : []),
    ];
    return `${parts.join(', ')}.`;
  }

  toResults(requests: DeferredToolRequests): DeferredToolResults {
    return requests.buildResults({
      approvals: Object.fromEntries(this.#approvals),
      calls: Object.fromEntries(this.#calls),
    });
  }
}

function isApproved(decision: ApprovalDecision): boolean {
  return decision === true || decision instanceof ToolApproved;
}

/** Approvals that hold while the handler is used, for equal calls of the same agent. */
export class SessionApprovals {
  readonly #keys = new Set<string>();

  add(agent: string | undefined, call: PendingCall): void {
    this.#keys.add(keyOf(agent, call));
  }

  /** True if the call needs no prompt. A call with a warning always needs one. */
  covers(agent: string | undefined, call: PendingCall): boolean {
    return hasOnlyApproval(call) && this.#keys.has(keyOf(agent, call));
  }
}

/** Returns a text that is equal for calls of which the user was shown the same. */
function keyOf(agent: string | undefined, call: PendingCall): string {
  const { toolName, path, args, validatedArgs, details, metadata = null } = call;
  const { schemaHash = null, version = null, preview = null } = details;
  const tool = [agent ?? null, path, toolName, schemaHash, version];
  // A schema may compute a value, so equal arguments of the model can be another call.
  return canonicalJson([...tool, args, validatedArgs, preview, metadata]);
}
