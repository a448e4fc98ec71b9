import type { Model } from 'holdpoint';
import { calls, functionModel, responds, type ResponseDraft, says } from 'holdpoint/testing';

/** What Ada asks for, the refund first. */
export const WISHES = {
  refund: 'The lamp of order 17 came broken. Give the money back, please.',
  transfer: 'Lumen & Sons have sent their invoice. Pay it.',
  ask_supplier: 'When do the green shades come?',
  book_courier: 'The vase of order 23 must be there tomorrow.',
} as const;

const ANSWERS: Readonly<Record<string, () => ResponseDraft>> = {
  [WISHES.refund]: () =>
    responds(
      says('Order 17 was one lamp, for 40 euros. I will give them back.'),
      calls('refund', { order: '17', euros: 40 }),
    ),
  [WISHES.transfer]: () =>
    responds(
      says('It is invoice 311, over 1860 euros.'),
      calls('transfer', {
        to: 'Lumen & Sons',
        account: 'DE89 3704 0044 0532 0130 00',
        euros: 1860,
      }),
    ),
  [WISHES.ask_supplier]: () =>
    calls('ask_supplier', { question: 'When do you send the 12 green shades?' }),
  [WISHES.book_courier]: () =>
    responds(
      says('A courier is free, and waits ten minutes for an answer.'),
      calls('book_courier', { order: '23', euros: 24 }),
    ),
};

/** Stands in for a model: it makes the call that it was asked for, and then says what came of it. */
export const shopModel: Model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind === 'user-prompt') {
    const answer = ANSWERS[String(last.content)];
    return answer?.() ?? says('I know only what is in the demo.');
  }
  if (last?.kind !== 'tool-return') return says('I have nothing to say to that.');
  const told = typeof last.content === 'string' ? last.content : JSON.stringify(last.content);
  return says(last.outcome === 'success' ? `Done. ${told}` : `It is not done. ${told}`);
});
