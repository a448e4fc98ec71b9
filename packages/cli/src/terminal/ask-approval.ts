import { ToolDenied } from 'holdpoint';
import type { CallResponse } from './answer.ts';
import { askResult } from './ask-result.ts';
import { editArgs } from './edit-args.ts';
import type { PendingCall } from './pending-call.ts';
import { BACK, type Back, type Choice } from './prompter.ts';
import type { Questioner } from './questioner.ts';
import { quitError } from './quit.ts';
import { showEverything } from './show-call.ts';
import { warningsOf } from './warnings.ts';

type ApprovalChoice = 'approve' | 'deny' | 'edit' | 'has-run' | 'rest' | 'always' | 'show' | 'quit';

/** The calls after one that wait for approval, too. */
export interface Others {
  /** How many a yes to all would let run. */
  readonly plain: number;
  /** How many there is something to be careful about: they are asked by themselves. */
  readonly withWarning: number;
}

/** What else there is to know before somebody is asked about a call. */
interface Situation {
  readonly others: Others;
  /** Whether something of the call was left out on the screen. */
  readonly isFolded: boolean;
}

/** Has somebody decide about a call that needs approval. */
export async function askApproval(
  questioner: Questioner,
  call: PendingCall,
  situation: Situation,
): Promise<CallResponse> {
  const choices = choicesFor(call, situation);
  // Where there is something to be careful about, yes is not what the next key says.
  let initial: ApprovalChoice = warningsOf(call).length > 0 ? 'deny' : 'approve';
  for (;;) {
    const choice: ApprovalChoice | Back = await questioner.prompter.choose(
      question(call),
      choices,
      initial,
    );
    if (choice === 'quit') throw quitError();
    const answered: CallResponse | Back =
      choice === BACK ? BACK : await respond(questioner, call, choice);
    if (answered !== BACK) return answered;
    if (choice !== BACK && choice !== 'show') initial = choice;
  }
}

function question({ toolName, details }: PendingCall): string {
  return details.inDoubt === undefined
    ? `May ${toolName} run?`
    : `What about ${toolName}? Look where its effect would be first.`;
}

function choicesFor(
  call: PendingCall,
  { others, isFolded }: Situation,
): readonly Choice<ApprovalChoice>[] {
  const { inDoubt } = call.details;
  return [
    { value: 'approve', label: inDoubt ? 'Run it again' : 'Approve' },
    { value: 'deny', label: 'Deny, and say why' },
    ...(inDoubt ? [{ value: 'has-run', label: 'It has run: give its result' } as const] : []),
    { value: 'edit', label: 'Edit the arguments' },
    ...(others.plain > 0
      ? [{ value: 'rest', label: `Approve this and ${describeOthers(others)}` } as const]
      : []),
    // What there is a warning about is asked about every time.
    ...(warningsOf(call).length > 0
      ? []
      : [
          {
            value: 'always',
            label: 'Always in this session, with exactly these arguments',
          } as const,
        ]),
    ...(isFolded ? [{ value: 'show', label: 'Show everything' } as const] : []),
    { value: 'quit', label: 'Quit', hint: 'ends the run; nothing that waits has run' },
  ];
}

function describeOthers({ plain, withWarning }: Others): string {
  const calls = plain === 1 ? 'the other call' : `the ${plain} other calls`;
  return withWarning === 0 ? calls : `${calls} without a warning`;
}

async function respond(
  questioner: Questioner,
  call: PendingCall,
  choice: Exclude<ApprovalChoice, 'quit'>,
): Promise<CallResponse | Back> {
  switch (choice) {
    case 'approve':
      return { kind: 'approval', answer: true };
    case 'rest':
      return { kind: 'approve-rest' };
    case 'always':
      return { kind: 'approve-always' };
    case 'has-run':
      return askResult(questioner);
    case 'deny':
      return deny(questioner);
    case 'edit': {
      const answer = await editArgs(questioner, call);
      return answer === BACK ? BACK : { kind: 'approval', answer };
    }
    case 'show':
      questioner.screen.block([{ text: '' }, ...showEverything(call)]);
      return BACK;
  }
}

async function deny({ prompter }: Questioner): Promise<CallResponse | Back> {
  const reason = await prompter.write({
    message: 'Why not? The model is told. Enter: no reason. Esc: back.',
    placeholder: 'It is not allowed to …',
  });
  if (reason === BACK) return BACK;
  return {
    kind: 'approval',
    answer: reason.trim() === '' ? new ToolDenied() : new ToolDenied(reason.trim()),
  };
}
