import type { JsonValue } from 'holdpoint';
import { schemaProblems } from 'holdpoint/deferral';
import type { HoldQuestion } from '../model/hold-row.ts';
import { type EditProblem, pathsOfProblems } from './validate-edit.ts';

/**
 * Returns the problems that the schema of a question finds in an input. The run validates it again with
 * `schemaProblems`, so an input that this function rejects is rejected here. The other validation finds the paths.
 */
export function problemsOfInput(
  { schema }: HoldQuestion,
  value: JsonValue,
): readonly EditProblem[] {
  const sentences = schemaProblems(schema, value);
  const located = pathsOfProblems(schema, value) ?? [];
  if (located.length > 0) return located;
  return sentences.map((message) => ({ path: '', message }));
}
