import type { HoldAnswer } from '../client/types.ts';

/** What every form of an answer gets. */
export interface AnswerFormProps {
  readonly isDisabled: boolean;
  /** Why nothing can be sent now. */
  readonly blocked?: string | undefined;
  readonly onCancel: () => void;
  readonly onSay: (answer: HoldAnswer) => Promise<void>;
}
