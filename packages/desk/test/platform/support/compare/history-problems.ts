import { callsOf, type TellerCall } from '../crash/teller.ts';
import { answerTo, holdsAbout, type RunAsStored } from './run-as-stored.ts';

/** What a part of a message may have in it. */
interface AnyPart {
  readonly kind: string;
  readonly toolCallId?: string;
  readonly content?: unknown;
}

/** Each call has one result in the history, which is what was answered or what came of it, and the model has the last word. */
export function historyProblems(stored: RunAsStored): string[] {
  const parts = stored.messages.flatMap((message) => [...message.parts] as AnyPart[]);
  const called = parts.filter(({ kind }) => kind === 'tool-call');
  const told = parts.filter(({ kind }) => kind === 'tool-return');
  const calls = callsOf(stored.run.idempotencyKey ?? '');
  if (called.length !== calls.length || told.length !== calls.length) {
    return [`its history has ${called.length} calls and ${told.length} results`];
  }
  const problems = calls.flatMap((call, index) => {
    const results = told.filter(({ toolCallId }) => toolCallId === called[index]?.toolCallId);
    const text = results.map(({ content }) => JSON.stringify(content)).join(' and ');
    const expected = expectedOf(stored, call);
    if (results.length === 1 && expected.some((one) => text.includes(one))) return [];
    return [`${call.name} ${call.to} has come to ${text} instead of ${expected.join(' or ')}`];
  });
  const isOver = parts.at(-1)?.content === 'That is all.';
  return isOver ? problems : [...problems, 'its history does not end with the model'];
}

/** What a result must have in it: one of these. */
function expectedOf(stored: RunAsStored, { name, to }: TellerCall): string[] {
  const done = `done: ${name} ${to}`;
  const last = holdsAbout(stored, to).at(-1);
  const answer = answerTo(stored, last);
  if (answer?.kind === 'deny') return [answer.message ?? ''];
  if (answer?.kind !== 'result') return [done];
  // Whoever executed it may have come back after the question and before the answer.
  return last?.inDoubt ? [done, String(answer.value)] : [String(answer.value)];
}
