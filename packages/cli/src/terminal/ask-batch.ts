import { S_INFO, S_STEP_SUBMIT } from '@clack/prompts';
import type {
  ApprovalDecision,
  ExternalResult,
  DeferredToolRequests,
  DeferredToolResults,
} from 'holdpoint';
import type { CallResponse } from './answer.ts';
import { askApproval, type Others } from './ask-approval.ts';
import { askExternal } from './ask-external.ts';
import { type PendingCall, pendingCalls } from './pending-call.ts';
import type { Questioner } from './questioner.ts';
import type { SessionApprovals } from './session-approvals.ts';
import { batchTitle, briefArgs, showBatch } from './show-batch.ts';
import { showCall } from './show-call.ts';
import { warningsOf } from './warnings.ts';
import { cut } from './width.ts';

/** Rows that a question and what is around it take. */
const ROWS_OF_A_QUESTION = 13;
const FEWEST_ROWS = 6;

/** Who asks, and what was said before. */
interface Session {
  readonly agent: string | undefined;
  readonly approvals: SessionApprovals;
}

/** Has somebody answer all calls of a batch, one after the other. */
export async function askBatch(
  questioner: Questioner,
  requests: DeferredToolRequests,
  { agent, approvals }: Session,
): Promise<DeferredToolResults> {
  const { screen } = questioner;
  const calls = pendingCalls(requests);
  const answers = new Answers();
  screen.open(batchTitle(calls, agent));
  if (calls.length > 1) {
    screen.block(
      [{ text: '' }, ...showBatch(calls, screen.columns)],
      listRoom(screen.rows),
      'they are asked below',
    );
  }
  let approvesRest = false;
  for (const [index, call] of calls.entries()) {
    if (approvals.covers(agent, call)) {
      noteApproved(questioner, call, 'approved, as you said for this session');
      answers.add(call, { kind: 'approval', answer: true });
    } else if (approvesRest && onlyNeedsYes(call)) {
      noteApproved(questioner, call, 'approved with the others');
      answers.add(call, { kind: 'approval', answer: true });
    } else {
      const place = { index, count: calls.length, others: othersAfter(calls, index) };
      const response = await askCall(questioner, call, place);
      if (response.kind === 'approve-rest') approvesRest = true;
      if (response.kind === 'approve-always') approvals.add(agent, call);
      answers.add(call, response);
    }
  }
  screen.close({ text: answers.summary(), style: 'dim' });
  return answers.toResults(requests);
}

/** A list that leaves room for the first question. */
function listRoom(rows: number): number {
  return Math.max(FEWEST_ROWS, rows - 4);
}

/** Whether a call may be approved with others: what there is a warning about is asked by itself. */
function onlyNeedsYes(call: PendingCall): boolean {
  return call.kind === 'approval' && warningsOf(call).length === 0;
}

function othersAfter(calls: readonly PendingCall[], index: number): Others {
  const approvals = calls.slice(index + 1).filter(({ kind }) => kind === 'approval');
  const plain = approvals.filter(onlyNeedsYes).length;
  return { plain, withWarning: approvals.length - plain };
}

async function askCall(
  questioner: Questioner,
  call: PendingCall,
  {
    index,
    count,
    others,
  }: { readonly index: number; readonly count: number; readonly others: Others },
): Promise<CallResponse> {
  const { screen, prompter } = questioner;
  const place = count === 1 ? '' : `${index + 1} of ${count} · `;
  const wanted = call.kind === 'approval' ? 'needs approval' : 'needs a result';
  screen.head(S_INFO, 'blue', {
    label: { text: `${place}${call.toolName}`, style: 'bold' },
    text: `  ${wanted}`,
    style: 'dim',
  });
  const room = Math.max(FEWEST_ROWS, screen.rows - ROWS_OF_A_QUESTION);
  const isFolded = screen.block(showCall(call), room, 'choose “Show everything”');
  await prompter.discardTyped();
  return call.kind === 'approval'
    ? askApproval(questioner, call, {
        others,
        isFolded: isFolded || call.details.preview !== undefined,
      })
    : askExternal(questioner, call, isFolded);
}

function noteApproved({ screen }: Questioner, call: PendingCall, why: string): void {
  const text = `  ${why}`;
  const args = cut(
    briefArgs(call),
    Math.max(8, screen.columns - call.toolName.length - text.length - 2),
  );
  screen.head(S_STEP_SUBMIT, 'green', {
    label: { text: call.toolName, style: 'bold' },
    text: `  ${args}${text}`,
    style: 'dim',
  });
}

/** Answers as they come in. */
class Answers {
  readonly #approvals: [string, ApprovalDecision][] = [];
  readonly #calls: [string, ExternalResult][] = [];

  add({ id }: PendingCall, response: CallResponse): void {
    if (response.kind === 'result') this.#calls.push([id, response.answer]);
    else this.#approvals.push([id, response.kind === 'approval' ? response.answer : true]);
  }

  /** What was answered, in a few words. */
  summary(): string {
    const approved = this.#approvals.filter(([, answer]) => isYes(answer)).length;
    const denied = this.#approvals.length - approved;
    const parts = [
      ...(approved > 0 ? [`${approved} approved`] : []),
      ...(denied > 0 ? [`${denied} denied`] : []),
      ...(this.#calls.length > 0 ? [`${this.#calls.length} answered`] : []),
    ];
    return `${parts.join(', ')}.`;
  }

  /** The answers, with the digests of what was shown. */
  toResults(requests: DeferredToolRequests): DeferredToolResults {
    return requests.buildResults({
      approvals: Object.fromEntries(this.#approvals),
      calls: Object.fromEntries(this.#calls),
    });
  }
}

function isYes(answer: ApprovalDecision): boolean {
  return typeof answer === 'boolean' ? answer : answer.kind === 'approve';
}
