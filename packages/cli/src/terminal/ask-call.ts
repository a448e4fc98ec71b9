import {
  type ApprovalDecision,
  type ExternalResult,
  ModelRetry,
  ToolDenied,
  ToolFailed,
} from 'holdpoint';
import { showEverything } from './calls.ts';
import { editArgs } from './edit-args.ts';
import { readResult } from './json-text.ts';
import { type PendingCall, warningsOf } from './pending-call.ts';
import { BACK, type Back, type Choice, type PromptContext, quitError } from './prompter.ts';

/** A decision on a call that needs approval, or that has a question. */
export interface ApprovalCallDecision {
  readonly kind: 'approval';
  readonly decision: ApprovalDecision;
}

/** An approver's decision on a call. */
export type CallDecision =
  | ApprovalCallDecision
  | { readonly kind: 'result'; readonly result: ExternalResult }
  /** Approves this call and all others of the batch without a warning. */
  | { readonly kind: 'approve-rest' }
  /** Approves this call and equal calls of the session. */
  | { readonly kind: 'approve-always' };

/** The calls after one that need approval too. */
export interface OtherCalls {
  /** The number of calls that can be approved together. */
  readonly plain: number;
  /** The number of calls with a warning, which need a decision each. */
  readonly withWarning: number;
}

type ApprovalChoice =
  | 'approve'
  | 'deny'
  | 'changes'
  | 'edit'
  | 'result'
  | 'rest'
  | 'always'
  | 'show'
  | 'quit';
type ExternalChoice = 'result' | 'failed' | 'retry' | 'show' | 'quit';

const QUIT = {
  value: 'quit',
  label: 'Quit',
  hint: 'end the run; pending calls are not executed',
} as const;
const SHOW = { value: 'show', label: 'Show everything' } as const;

/** Prompts for the decision on a call that needs approval. */
export async function askApproval(
  context: PromptContext,
  call: PendingCall,
  situation: { readonly others: OtherCalls; readonly isFolded: boolean },
): Promise<CallDecision> {
  const { toolName, details } = call;
  const question =
    details.inDoubt === undefined
      ? `Approve ${toolName}?`
      : `${toolName} may already have been executed. Check its effect first.`;
  const choices = approvalChoices(call, situation.others, situation.isFolded);
  // After a warning, a hasty Enter must not approve.
  let initial: ApprovalChoice = warningsOf(call).length > 0 ? 'deny' : 'approve';
  for (;;) {
    const choice: ApprovalChoice | Back = await context.prompter.choose(question, choices, initial);
    if (choice === 'quit') throw quitError();
    if (choice === BACK) continue;
    const decision: CallDecision | Back = await followApproval(context, call, choice);
    if (decision !== BACK) return decision;
    if (choice !== 'show') initial = choice;
  }
}

function approvalChoices(
  call: PendingCall,
  others: OtherCalls,
  isFolded: boolean,
): readonly Choice<ApprovalChoice>[] {
  const { inDoubt } = call.details;
  const hasWarning = warningsOf(call).length > 0;
  return [
    { value: 'approve', label: inDoubt ? 'Execute again' : 'Approve' },
    { value: 'deny', label: 'Deny with a reason' },
    ...(inDoubt ? [{ value: 'result', label: 'Record what happened' } as const] : []),
    { value: 'edit', label: 'Edit the arguments' },
    ...(others.plain > 0
      ? [{ value: 'rest', label: `Approve this and ${describeOthers(others)}` } as const]
      : []),
    ...(hasWarning
      ? []
      : [
          {
            value: 'always',
            label: 'Always approve in this session, with exactly these arguments',
          } as const,
        ]),
    { value: 'changes', label: 'Request changes', hint: 'the model receives your message' },
    ...(isFolded ? [SHOW] : []),
    QUIT,
  ];
}

function describeOthers({ plain, withWarning }: OtherCalls): string {
  const calls = plain === 1 ? 'the other call' : `the ${plain} other calls`;
  return withWarning === 0 ? calls : `${calls} without a warning`;
}

async function followApproval(
  context: PromptContext,
  call: PendingCall,
  choice: Exclude<ApprovalChoice, 'quit'>,
): Promise<CallDecision | Back> {
  switch (choice) {
    case 'approve':
      return { kind: 'approval', decision: true };
    case 'rest':
      return { kind: 'approve-rest' };
    case 'always':
      return { kind: 'approve-always' };
    case 'result':
      return askResult(context);
    case 'deny':
      return askReason(context);
    case 'changes': {
      const message = await askMessage(context, CHANGES);
      if (message === BACK) return BACK;
      return { kind: 'approval', decision: new ModelRetry(message) };
    }
    case 'edit': {
      const decision = await editArgs(context, call);
      return decision === BACK ? BACK : { kind: 'approval', decision };
    }
    case 'show':
      context.screen.block([{ text: '' }, ...showEverything(call)]);
      return BACK;
  }
}

/** Prompts for the reason of a denial. */
export async function askReason({
  prompter,
}: Pick<PromptContext, 'prompter'>): Promise<ApprovalCallDecision | Back> {
  const written = await prompter.write({
    message: 'Reason for the model (optional). Enter: deny. Esc: back.',
    placeholder: 'Keep this file until Friday.',
  });
  if (written === BACK) return BACK;
  const reason = written.trim();
  return { kind: 'approval', decision: reason === '' ? new ToolDenied() : new ToolDenied(reason) };
}

/** Prompts for the result of an external call. */
export async function askExternal(
  context: PromptContext,
  call: PendingCall,
  isFolded: boolean,
): Promise<CallDecision> {
  const choices: readonly Choice<ExternalChoice>[] = [
    { value: 'result', label: 'Record the result' },
    { value: 'failed', label: 'Record a failure', hint: 'the model receives your message' },
    { value: 'retry', label: 'Request changes', hint: 'the model receives your message' },
    ...(isFolded ? [SHOW] : []),
    QUIT,
  ];
  const question = `What is the result of ${call.toolName}?`;
  let initial: ExternalChoice = 'result';
  for (;;) {
    const choice: ExternalChoice | Back = await context.prompter.choose(question, choices, initial);
    if (choice === 'quit') throw quitError();
    if (choice === BACK) continue;
    if (choice === 'show') {
      context.screen.block([{ text: '' }, ...showEverything(call)]);
      continue;
    }
    initial = choice;
    const decision =
      choice === 'result' ? await askResult(context) : await askProblem(context, choice);
    if (decision !== BACK) return decision;
  }
}

const CHANGES = 'What should the model change or explain?';

async function askProblem(
  context: PromptContext,
  choice: 'failed' | 'retry',
): Promise<CallDecision | Back> {
  const isFailure = choice === 'failed';
  const message = await askMessage(context, isFailure ? 'What went wrong?' : CHANGES);
  if (message === BACK) return BACK;
  return { kind: 'result', result: isFailure ? new ToolFailed(message) : new ModelRetry(message) };
}

/** Prompts for a text that the model receives. */
async function askMessage({ prompter }: PromptContext, question: string): Promise<string | Back> {
  const written = await prompter.write({
    message: `${question} Enter: done. Esc: back.`,
    problem: (text) => (text.trim() === '' ? 'Type a message for the model.' : undefined),
  });
  return written === BACK ? BACK : written.trim();
}

async function askResult({ screen, prompter }: PromptContext): Promise<CallDecision | Back> {
  const written = await prompter.write({
    message: 'Result, as JSON or text. Enter: done. Esc: back.',
    problem: (text) => {
      const read = readResult(text);
      return read.ok ? undefined : read.problem;
    },
  });
  if (written === BACK) return BACK;
  const read = readResult(written);
  if (!read.ok) return BACK; // the prompt has validated it
  const type = typeof read.value === 'string' ? 'text' : 'JSON';
  screen.block([{ text: `The model receives this as ${type}.`, style: 'dim' }]);
  return { kind: 'result', result: read.value };
}
