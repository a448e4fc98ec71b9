import ts from 'typescript';
import { isTest, locationOf, type SourceFile, visitNodes } from './source-files.ts';

/** The errors of the language. Every platform aborts with a `DOMException`. */
const PLAIN: ReadonlySet<string> = new Set([
  'AggregateError',
  'Error',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
]);

/** Finds errors without a code, such as `tools/tool.ts:3: Error`. */
export function findPlainErrors(files: readonly SourceFile[]): string[] {
  return files.filter((file) => !isTest(file.path)).flatMap(findIn);
}

function findIn(file: SourceFile): string[] {
  const found: string[] = [];
  visitNodes(file, (node) => {
    if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return;
    const name = node.expression.getText().replace(/^globalThis\./, '');
    if (PLAIN.has(name)) found.push(`${locationOf(file, node)}: ${name}`);
  });
  return found;
}
