import { callsOf, type TellerCall } from '../crash/teller.ts';
import { decisionOn, holdsAbout, type StoredRun } from './stored-run.ts';

/** A part of any kind. */
interface AnyPart {
  readonly kind: string;
  readonly toolCallId?: string;
  readonly content?: unknown;
}

/** Requires one result per call, from its decision or its execution, and a last response of the model. */
export function historyProblems(stored: StoredRun): string[] {
  const parts = stored.messages.flatMap((message) => [...message.parts] as AnyPart[]);
  const called = parts.filter(({ kind }) => kind === 'tool-call');
  const returned = parts.filter(({ kind }) => kind === 'tool-return');
  const calls = callsOf(stored.run.idempotencyKey ?? '');
  if (called.length !== calls.length || returned.length !== calls.length) {
    return [`its history has ${called.length} calls and ${returned.length} results`];
  }
  const problems = calls.flatMap((call, index) => {
    const results = returned.filter(({ toolCallId }) => toolCallId === called[index]?.toolCallId);
    const text = results.map(({ content }) => JSON.stringify(content)).join(' and ');
    const expected = expectedOf(stored, call);
    if (results.length === 1 && expected.some((one) => text.includes(one))) return [];
    return [`${call.name} ${call.to} has the result ${text} instead of ${expected.join(' or ')}`];
  });
  const isFinished = parts.at(-1)?.content === 'That is all.';
  return isFinished ? problems : [...problems, 'its history does not end with the model'];
}

/** Returns texts of which the result must contain one. */
function expectedOf(stored: StoredRun, { name, to }: TellerCall): string[] {
  const done = `done: ${name} ${to}`;
  const last = holdsAbout(stored, to).at(-1);
  const decision = decisionOn(stored, last);
  if (decision?.kind === 'deny') return [decision.reason ?? ''];
  if (decision?.kind !== 'result') return [done];
  // The worker that executed it may settle after the hold opened and before the decision.
  return last?.inDoubt ? [done, String(decision.value)] : [String(decision.value)];
}
