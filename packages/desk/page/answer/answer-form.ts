import type { AnswerBody } from '../client/types.ts';

/** An answer as a form sends it; the panel adds what it is about. */
export type FormAnswer = Pick<AnswerBody, 'answer' | 'shown'>;

/** Properties that every form of an answer has. */
export interface AnswerFormProps {
  readonly isDisabled: boolean;
  /** Why nothing can be sent now. */
  readonly blocked?: string | undefined;
  readonly onCancel: () => void;
  /** Sends the answer; gives whether the desk took it. The form stays open if it did not. */
  readonly onSay: (said: FormAnswer) => Promise<boolean>;
}
