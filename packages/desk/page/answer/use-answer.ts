import { useCallback, useRef, useState } from 'react';
import type { AnswerBody, Hold } from '../client/types.ts';
import { quorumOf } from '../holds/hold-words.ts';
import { useInbox } from '../shell/inbox-context.ts';
import { type Refusal, refusalOf } from './refusal.ts';

/** How an answer is sent. */
export interface AnswerSender {
  readonly isSending: boolean;
  readonly refusal?: Refusal | undefined;
  /** Sends an answer; gives whether the desk took it. */
  readonly send: (answering: AnswerBody) => Promise<boolean>;
}

/** Sends answers to a hold: one at a time, once, and never again by itself. */
export function useAnswer(
  holdId: string,
  onAnswered: (hold: Hold) => void,
  onLookAgain: () => void,
): AnswerSender {
  const { client, announce } = useInbox();
  const [isSending, setIsSending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const isUnderWay = useRef(false);
  const send = useCallback(
    async (answering: AnswerBody) => {
      if (isUnderWay.current) return false;
      isUnderWay.current = true;
      setIsSending(true);
      setRefusal(undefined);
      let isTaken = false;
      try {
        const hold = await client.answer(holdId, answering);
        isTaken = true;
        onAnswered(hold);
        announce(saidBy(hold));
      } catch (error) {
        setRefusal(refusalOf(error));
      }
      isUnderWay.current = false;
      setIsSending(false);
      // What others have said meanwhile, and the answer as it was written.
      onLookAgain();
      return isTaken;
    },
    [client, holdId, onAnswered, onLookAgain, announce],
  );
  return { isSending, refusal, send };
}

function saidBy(hold: Hold): string {
  if (hold.state !== 'open') return 'Your answer has decided it.';
  const { needed, have } = quorumOf(hold);
  return `Your answer counts. ${have} of ${needed} agree.`;
}
