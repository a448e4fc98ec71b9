import { build } from 'esbuild';
import ts from 'typescript';
import { repository } from './run-program.ts';
import { isTest, locationOf, type SourceFile, visitNodes } from './source-files.ts';

/** Classes of the language that sources extend. Their constructors return the object they create. */
const BUILT_IN: ReadonlySet<string> = new Set(['Error', 'TypeError', 'Map', 'Set']);

/**
 * Finds the places where a class could define its private fields on an object that another constructor returned,
 * as `messages/mark.ts:17: extends Stamp, which is not a class`.
 */
export function findReturnOverrides(files: readonly SourceFile[]): string[] {
  const sources = files.filter(({ path }) => !isTest(path));
  const classes = new Set([...BUILT_IN, ...sources.flatMap(classNames)]);
  return sources.flatMap((file) => findOverrides(file, classes));
}

function classNames(file: SourceFile): string[] {
  const names: string[] = [];
  visitNodes(file, (node) => {
    if (ts.isClassDeclaration(node) && node.name) names.push(node.name.text);
  });
  return names;
}

function findOverrides(file: SourceFile, classes: ReadonlySet<string>): string[] {
  const found: string[] = [];
  visitNodes(file, (node) => {
    if (ts.isReturnStatement(node) && node.expression && isInConstructor(node)) {
      found.push(`${locationOf(file, node)}: a constructor returns another object`);
    }
    if (!ts.isHeritageClause(node) || node.token !== ts.SyntaxKind.ExtendsKeyword) return;
    if (!ts.isClassLike(node.parent)) return;
    const base = node.types[0]?.expression;
    if (base && !(ts.isIdentifier(base) && classes.has(base.text))) {
      found.push(`${locationOf(file, node)}: extends ${base.getText()}, which is not a class`);
    }
  });
  return found;
}

/** Checks whether the nearest function around a node is a constructor. */
function isInConstructor(node: ts.Node): boolean {
  const nearest = ts.findAncestor(node, ts.isFunctionLike);
  return nearest !== undefined && ts.isConstructorDeclaration(nearest);
}

/** The function that esbuild calls to define a private field, up to its body. */
const ADD_FIELD = /var __privateAdd = \((?<object>\w+), \w+, \w+\) => /g;

/**
 * Bundles a program so that private fields follow the proposal "Non-extensible applies to private": defining one
 * on a non-extensible object is a `TypeError`.
 */
export async function bundleWithExtensibleCheck(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file],
    absWorkingDir: repository,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    conditions: ['holdpoint-source'],
    supported: {
      'class-private-field': false,
      'class-private-method': false,
      'class-private-accessor': false,
      'class-private-brand-check': false,
    },
    logLevel: 'silent',
  });
  const code = outputFiles[0]?.text ?? '';
  const [add, ...others] = code.matchAll(ADD_FIELD);
  if (add === undefined || others.length > 0) {
    throw new Error('esbuild defines private fields in another way than `__privateAdd`.');
  }
  const check =
    `!Object.isExtensible(${add.groups?.['object']}) && ` +
    "__typeError('Cannot define private field on non-extensible object') || ";
  const body = add.index + add[0].length;
  return code.slice(0, body) + check + code.slice(body);
}
