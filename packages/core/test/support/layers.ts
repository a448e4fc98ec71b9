import { posix } from 'node:path';
import ts from 'typescript';
import { isTest, locationOf, type SourceFile, visitNodes } from './source-files.ts';

/** The folders of `src/`, lowest first: each imports only itself and folders before it. */
const LAYERS: readonly string[] = [
  'errors',
  'internal',
  'messages',
  'usage',
  'models',
  'context',
  'tools',
  'deferred',
  'events',
  'ledger',
  'toolsets',
  'output',
  'capabilities',
  'outcomes',
  'gate',
  'execution',
  'loop',
  'agent',
  'integrations',
  'testing',
  'entries',
];

/**
 * Returns the layering problems of `files`, one sentence each.
 *
 * Tests are outside of the layers: they may import anything, and no module may import them.
 */
export function findLayerProblems(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const misplaced = findMisplacement(file.path);
    if (misplaced !== undefined) return [misplaced];
    return isTest(file.path) ? [] : findImportProblems(file);
  });
}

function findMisplacement(path: string): string | undefined {
  if (path === 'index.ts') return undefined;
  if (!path.includes('/')) return `${path}: only index.ts lies in src/ itself`;
  const folder = layerOf(path);
  return LAYERS.includes(folder) ? undefined : `${path}: ${folder}/ is not one of the layers`;
}

function findImportProblems(file: SourceFile): string[] {
  const problems: string[] = [];
  visitNodes(file, (node) => {
    const specifier = importedFrom(node);
    if (specifier === undefined) return;
    const problem = findImportProblem(file.path, specifier);
    if (problem !== undefined) problems.push(`${locationOf(file, node)}: ${problem}`);
  });
  return problems;
}

/** Files that import optional peers on demand. `null` is a name that bundlers cannot determine. */
const PEERS: ReadonlyMap<string, readonly (string | null)[]> = new Map([
  ['models/infer-model.ts', [null]],
  ['integrations/mcp/client-library.ts', ['@modelcontextprotocol/client', null]],
  ['integrations/otel/api-library.ts', ['@opentelemetry/api']],
  ['integrations/sealed/jose-library.ts', ['jose']],
]);

function findImportProblem(path: string, specifier: string | null): string | undefined {
  if (PEERS.get(path)?.includes(specifier)) return undefined;
  if (specifier === null) return 'imports what only a running program knows';
  if (!/^\.\.?\//.test(specifier)) return `imports the package ${specifier}`;

  const target = posix.join(posix.dirname(path), specifier);
  if (target.startsWith('../')) return `imports ${specifier}, which is outside of src/`;
  if (isTest(target)) return `imports the test ${target}`;
  if (path === 'index.ts') return undefined;
  if (!target.includes('/')) return `imports ${target}, which is above every layer`;

  const from = layerOf(path);
  const to = layerOf(target);
  const upward = LAYERS.indexOf(to) > LAYERS.indexOf(from);
  return upward ? `${from}/ imports ${to}/, a later layer` : undefined;
}

function layerOf(path: string): string {
  return path.slice(0, path.indexOf('/'));
}

/**
 * Returns the module that a node imports: `undefined` if it imports none, `null` if the name is
 * computed.
 */
function importedFrom(node: ts.Node): string | null | undefined {
  if (ts.isImportDeclaration(node)) return literal(node.moduleSpecifier);
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) return literal(node.moduleSpecifier);
  if (ts.isExternalModuleReference(node)) return literal(node.expression);
  if (ts.isImportTypeNode(node)) {
    return ts.isLiteralTypeNode(node.argument) ? literal(node.argument.literal) : null;
  }
  if (ts.isCallExpression(node) && isLoader(node.expression)) return literal(node.arguments[0]);
  return undefined;
}

function isLoader(callee: ts.Expression): boolean {
  const isRequire = ts.isIdentifier(callee) && callee.text === 'require';
  return callee.kind === ts.SyntaxKind.ImportKeyword || isRequire;
}

function literal(node: ts.Node | undefined): string | null {
  return node && ts.isStringLiteralLike(node) ? node.text : null;
}
