import type { AnswerBody, HoldView } from '@holdpoint/desk/client';
import type { Line } from '../terminal/line.ts';
import { showChange } from '../terminal/show-call.ts';
import { showFields, showValue } from '../terminal/show-value.ts';
import { holdAsCall } from './hold-as-call.ts';
import { personText } from './person-text.ts';

/** What somebody says to a hold. */
export type Answer = AnswerBody['answer'];

/** An answer in words. */
export interface AnswerWords {
  readonly title: string;
  readonly question: string;
  readonly done: string;
}

/** How an answer is asked about and told. */
export function wordsFor({ kind }: Answer, hold: HoldView): AnswerWords {
  const { toolName, inDoubt, proposed } = hold;
  const again = inDoubt === undefined ? '' : ' again';
  switch (kind) {
    case 'approve':
      if (proposed !== undefined) {
        return {
          title: 'Approve the proposed result',
          question: `Agree to the result of ${toolName} that ${personText(proposed.by)} proposed?`,
          done: 'Agreed',
        };
      }
      return { title: 'Approve', question: `May ${toolName} run${again}?`, done: 'Approved' };
    case 'edit':
      return {
        title: 'Approve, with other arguments',
        question: `May ${toolName} run${again} with these arguments?`,
        done: 'Approved with other arguments',
      };
    case 'deny':
      return { title: 'Deny', question: `Deny ${toolName}?`, done: 'Denied' };
    case 'result':
      return { title: 'Answer', question: `Is this the result of ${toolName}?`, done: 'Answered' };
    case 'fail':
      return { title: 'Answer', question: `Say that ${toolName} failed?`, done: 'Answered' };
    case 'retry':
      return { title: 'Answer', question: 'Have the model try again?', done: 'Answered' };
  }
}

/** What an answer says beyond yes or no. */
export function showAnswer(answer: Answer, hold: HoldView): readonly Line[] {
  switch (answer.kind) {
    case 'approve':
      return [];
    case 'edit':
      return [
        heading('With these arguments instead'),
        ...showChange(holdAsCall(hold).args, answer.args),
      ];
    case 'deny':
      return showFields({ reason: answer.message ?? 'none' });
    case 'result':
      return [heading('With this result'), ...showValue(answer.value)];
    case 'fail':
      return showFields({ failure: answer.message });
    case 'retry':
      return showFields({ retry: answer.message });
  }
}

function heading(text: string): Line {
  return { text: `${text}:`, style: 'dim' };
}
