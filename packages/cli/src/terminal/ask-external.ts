import { ModelRetry, ToolFailed } from 'holdpoint';
import type { CallResponse } from './answer.ts';
import { askResult } from './ask-result.ts';
import type { PendingCall } from './pending-call.ts';
import { BACK, type Back, type Choice } from './prompter.ts';
import type { Questioner } from './questioner.ts';
import { quitError } from './quit.ts';
import { showEverything } from './show-call.ts';

type ExternalChoice = 'result' | 'failed' | 'retry' | 'show' | 'quit';

/** Has somebody give the result of a call that does not run here. */
export async function askExternal(
  questioner: Questioner,
  call: PendingCall,
  isFolded: boolean,
): Promise<CallResponse> {
  const choices: readonly Choice<ExternalChoice>[] = [
    { value: 'result', label: 'Give its result' },
    { value: 'failed', label: 'It failed', hint: 'the model is told why' },
    { value: 'retry', label: 'Have the model try again', hint: 'with what you tell it' },
    ...(isFolded ? [{ value: 'show', label: 'Show everything' } as const] : []),
    { value: 'quit', label: 'Quit', hint: 'ends the run; nothing that waits has run' },
  ];
  let initial: ExternalChoice = 'result';
  for (;;) {
    const choice: ExternalChoice | Back = await questioner.prompter.choose(
      `What is the result of ${call.toolName}?`,
      choices,
      initial,
    );
    if (choice === 'quit') throw quitError();
    if (choice === BACK) continue;
    if (choice === 'show') {
      questioner.screen.block([{ text: '' }, ...showEverything(call)]);
      continue;
    }
    initial = choice;
    const answered =
      choice === 'result' ? await askResult(questioner) : await askMessage(questioner, choice);
    if (answered !== BACK) return answered;
  }
}

async function askMessage(
  { prompter }: Questioner,
  choice: 'failed' | 'retry',
): Promise<CallResponse | Back> {
  const written = await prompter.write({
    message: `${choice === 'failed' ? 'What went wrong?' : 'What should it do differently?'} Enter: done. Esc: back.`,
    problem: (text) => (text.trim() === '' ? 'The model needs to be told something.' : undefined),
  });
  if (written === BACK) return BACK;
  const message = written.trim();
  return {
    kind: 'result',
    answer: choice === 'failed' ? new ToolFailed(message) : new ModelRetry(message),
  };
}
