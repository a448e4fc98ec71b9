import { problemsOf } from '../../../../support/conversation.ts';
import type { Execution, MadeCall } from '../journal.ts';
import type { World } from '../world.ts';
import { isGuarded } from './facts.ts';
import { isFinal, type RecordedResult, resultIn } from './notifications.ts';

/** Every model request has a result for each call. */
export function callsWithoutResult({ requests }: World): string[] {
  return requests.flatMap(problemsOf).map((problem) => `a model was asked: ${problem}`);
}

/** All histories contain the same result for a call, and the arguments that were executed. */
export function disagreements({ runs, journal }: World, call: MadeCall): string[] {
  if (!isGuarded(call)) return [];
  const found: string[] = [];
  const said = new Set<string>();
  for (const { messages } of runs) {
    const result = resultIn(messages, call);
    if (result === undefined || !isFinal(result)) continue;
    said.add(JSON.stringify([result.content, result.outcome]));
    found.push(...wrongArguments(journal.of(call.label), result, call));
  }
  if (said.size > 1) found.push(`histories do not agree: ${call.label}: ${[...said].join(', ')}`);
  return found;
}

function wrongArguments(
  executions: readonly Execution[],
  { content, executed, outcome }: RecordedResult,
  { label, plan }: MadeCall,
): string[] {
  // A retry prompt has no metadata.
  if (outcome === 'retry') return [];
  const source = executions.find(({ said }) => said !== undefined && said === content);
  const ranWith = source?.value === plan.value ? undefined : source?.value;
  return executed === ranWith ? [] : [`history names other arguments than were executed: ${label}`];
}
