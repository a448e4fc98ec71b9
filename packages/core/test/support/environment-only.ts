import ts from 'typescript';
import { isTest, locationOf, type SourceFile, visitNodes } from './source-files.ts';

/** Members that read the clock or randomness, or control concurrency. */
const MEMBERS: ReadonlySet<string> = new Set([
  'Date.now',
  'Math.random',
  'crypto.randomUUID',
  'crypto.getRandomValues',
  'performance.now',
  'Promise.all',
  'Promise.allSettled',
  'Promise.race',
  'Promise.any',
  'AbortSignal.timeout',
]);

const FUNCTIONS: ReadonlySet<string> = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
]);

/**
 * Finds uses of time, randomness or concurrency that bypass the environment, such as `tools/tool.ts:3:
 * Date.now`.
 */
export function findEnvironmentUses(files: readonly SourceFile[]): string[] {
  return files.filter((file) => !mayUseEnvironment(file.path)).flatMap(findUses);
}

function mayUseEnvironment(path: string): boolean {
  return path === 'context/environment.ts' || path.startsWith('testing/') || isTest(path);
}

function findUses(file: SourceFile): string[] {
  const uses: string[] = [];
  visitNodes(file, (node) => {
    for (const use of usesOf(node)) uses.push(`${locationOf(file, node)}: ${use}`);
  });
  return uses;
}

function usesOf(node: ts.Node): string[] {
  if (ts.isNewExpression(node)) return readsClock(node) ? ['new Date()'] : [];
  if (ts.isVariableDeclaration(node)) return destructuredFrom(node).filter(isForbidden);
  const name = ts.isIdentifier(node) ? referenceName(node) : memberName(node);
  return name !== undefined && isForbidden(name) ? [name] : [];
}

function isForbidden(name: string): boolean {
  return MEMBERS.has(name) || FUNCTIONS.has(name);
}

/** `new Date()` is the current time; `new Date(value)` is a conversion. */
function readsClock(node: ts.NewExpression): boolean {
  return nameOf(node.expression) === 'Date' && !node.arguments?.length;
}

/** `const { now } = Date` reads `Date.now`. */
function destructuredFrom(node: ts.VariableDeclaration): string[] {
  if (!ts.isObjectBindingPattern(node.name) || !node.initializer) return [];
  const owner = nameOf(node.initializer);
  return node.name.elements.map((element) =>
    joined(owner, (element.propertyName ?? element.name).getText()),
  );
}

/** Returns the name of an identifier that refers to a value, not to a member or a declaration. */
function referenceName(node: ts.Identifier): string | undefined {
  const { parent } = node;
  if (ts.isTypeQueryNode(parent) || ts.isBindingElement(parent)) return undefined;
  const names =
    'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
  return names ? undefined : node.text;
}

/** `Promise.all`, `Promise?.['all']` and `globalThis.Promise.all` are all `Promise.all`. */
function memberName(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return joined(nameOf(node.expression), node.name.text);
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
    return joined(nameOf(node.expression), node.argumentExpression.text);
  }
  return undefined;
}

function nameOf(node: ts.Expression): string | undefined {
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) {
    return nameOf(node.expression);
  }
  return ts.isIdentifier(node) ? node.text : memberName(node);
}

function joined(owner: string | undefined, member: string): string {
  return owner === 'globalThis' ? member : `${owner ?? '?'}.${member}`;
}
