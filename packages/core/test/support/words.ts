import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { type TextKind, WORD_EXCEPTIONS, WORD_RULES } from './retired-words.ts';

/** A file of the repository, with its path from the root. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** A retired word in a file. */
export interface WordProblem {
  readonly path: string;
  readonly line: number;
  readonly kind: TextKind;
  readonly match: string;
  readonly advice: string;
}

/** A piece of a file with its kind and position. */
interface Fragment {
  readonly kind: TextKind;
  readonly text: string;
  readonly position: number;
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Folders and documents that the rules apply to. */
const CHECKED = [
  'packages',
  'conformance',
  'bench',
  'scripts',
  'examples',
  'docs/*.md',
  'README.md',
];

/** Generated text, recorded data and decision records, which are never rewritten. */
const UNCHECKED = /\/(api|fixtures|dist|data|results|decisions)\/|CHANGELOG/;

/** Returns the files that the words test reads, in a stable order. */
export function readCheckedFiles(): TextFile[] {
  return readTextFiles(CHECKED).filter((file) => !UNCHECKED.test(file.path));
}

/** Returns the code and Markdown files that git knows under `paths`, in a stable order. */
export function readTextFiles(paths: readonly string[]): TextFile[] {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths];
  return execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => /\.(ts|tsx|mjs|md)$/.test(path) && existsSync(join(ROOT, path)))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** Returns every retired word in `file`. */
export function findWordProblems(file: TextFile): WordProblem[] {
  const fragments = [
    { kind: 'path' as const, text: file.path, position: 0 },
    ...(file.path.endsWith('.md') ? markdownFragments(file.text) : codeFragments(file)),
  ];
  return fragments.flatMap((fragment) => problemsOf(file, fragment));
}

/** Formats a problem as one line of text. */
export function formatProblem({ path, line, kind, match, advice }: WordProblem): string {
  return `${path}:${line}: retired word \`${match}\` in a ${kind}. Fix: ${advice}.`;
}

const RULES = WORD_RULES.map((rule) => ({ ...rule, pattern: new RegExp(rule.pattern, 'g') }));

function problemsOf(file: TextFile, fragment: Fragment): WordProblem[] {
  const { kind, position } = fragment;
  const isName = kind === 'identifier' || kind === 'path';
  const text = isName ? wordsOf(fragment.text) : fragment.text.toLowerCase();
  return RULES.flatMap(({ pattern, advice, kinds, paths }) => {
    if (kinds?.includes(kind) === false || paths?.test(file.path) === false) return [];
    return [...text.matchAll(pattern)].flatMap(([found]) => {
      const match = found.replace(/^[.!] /, '').trim();
      if (isException(file.path, match)) return [];
      const line = file.text.slice(0, position).split('\n').length;
      return [{ path: file.path, line, kind, match, advice }];
    });
  });
}

function isException(path: string, match: string): boolean {
  return WORD_EXCEPTIONS.some(
    (exception) => exception.path.test(path) && exception.match.test(match),
  );
}

/** Returns the words of an identifier or a path: `takeAnswer` becomes `take answer`. */
function wordsOf(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1);
  return base
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase();
}

/** Returns the paragraphs of a document without code, links and addresses. */
function markdownFragments(text: string): Fragment[] {
  const blank = (part: string) => part.replace(/[^\n]/g, ' ');
  const prose = text
    .replace(/^```[\s\S]*?^```/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/`[^`\n]*`/g, blank)
    .replace(/\]\([^)\n]*\)/g, blank);
  return [...prose.matchAll(/^.*\S.*$/gm)].map((line) => ({
    kind: 'markdown',
    text: line[0].replace(/^[\s|>*#\d.-]+/, ''),
    position: line.index,
  }));
}

/** Returns declared names, comments and string literals of a module. */
function codeFragments(file: TextFile): Fragment[] {
  const tree = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  const fragments: Fragment[] = [];
  const literals: Range[] = [];
  const isTest = isTestFile(file.path);
  const visit = (node: ts.Node): void => {
    const isLiteral = isText(node);
    if (isLiteral || ts.isRegularExpressionLiteral(node)) {
      literals.push({ start: node.getStart(), end: node.getEnd() });
    }
    if (isDeclaredName(node)) {
      fragments.push({ kind: 'identifier', text: node.text, position: node.getStart() });
    } else if (isLiteral && !isModuleSpecifier(node) && (!isTest || isTitle(node))) {
      fragments.push({ kind: 'string', text: node.text, position: node.getStart() });
    }
    if (isInstanceOf(node)) {
      const text = `instanceof ${node.right.getText()}`;
      fragments.push({ kind: 'condition', text, position: node.getStart() });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return [...commentFragments(tree, literals), ...fragments];
}

/** A part of a text, from `start` to `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Returns the comments of a module; adjacent line comments are one. */
function commentFragments(tree: ts.SourceFile, literals: readonly Range[]): Fragment[] {
  const fragments: Fragment[] = [];
  let lineCommentEnd: number | undefined;
  for (const { start, end } of commentRanges(tree.text, literals)) {
    const text = proseOf(tree.text.slice(start, end));
    const isLineComment = tree.text.startsWith('//', start);
    const gap = lineCommentEnd === undefined ? '' : tree.text.slice(lineCommentEnd, start);
    const last = fragments.at(-1);
    if (isLineComment && last !== undefined && /^\r?\n[ \t]*$/.test(gap)) {
      fragments[fragments.length - 1] = { ...last, text: `${last.text} ${text}` };
    } else {
      fragments.push({ kind: 'comment', text, position: start });
    }
    lineCommentEnd = isLineComment ? end : undefined;
  }
  return fragments;
}

/** Finds comments outside of `literals`, which are in order of their position. */
function commentRanges(text: string, literals: readonly Range[]): Range[] {
  const ranges: Range[] = [];
  const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  let next = 0;
  for (let match = comment.exec(text); match !== null; match = comment.exec(text)) {
    const start = match.index;
    while ((literals[next]?.end ?? Infinity) <= start) next += 1;
    const literal = literals[next];
    if (literal !== undefined && literal.start <= start) comment.lastIndex = literal.end;
    else ranges.push({ start, end: comment.lastIndex });
  }
  return ranges;
}

/** Returns the prose of a comment: without its delimiters, tags, code and links. */
function proseOf(comment: string): string {
  return comment
    .replace(/```[\s\S]*?```/g, ' ')
    .replace(/^\/\*\*?|\*\/$|^\/\//g, '')
    .replace(/^\s*\*/gm, '')
    .replace(/`[^`]*`|\{@[^}]*\}/g, 'x')
    .replace(/@\w+( [\w.]+ -)?/g, '. ')
    .replace(/\s+/g, ' ')
    .trim();
}

function isModuleSpecifier(node: ts.Node): boolean {
  if (!ts.isStringLiteralLike(node)) return false;
  const { parent } = node;
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return true;
  const isImport =
    ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isImport || (ts.isLiteralTypeNode(parent) && ts.isImportTypeNode(parent.parent));
}

/** True if the node is the name that a declaration introduces; uses follow from declarations. */
function isDeclaredName(node: ts.Node): node is ts.Identifier | ts.PrivateIdentifier {
  if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return false;
  const { parent } = node;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return false;
  return 'name' in parent && parent.name === node && !ts.isPropertyAccessExpression(parent);
}

function isInstanceOf(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;
}

function isText(node: ts.Node): node is ts.LiteralLikeNode {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isJsxText(node) ||
    node.kind === ts.SyntaxKind.TemplateHead ||
    node.kind === ts.SyntaxKind.TemplateMiddle ||
    node.kind === ts.SyntaxKind.TemplateTail
  );
}

/** Strings of tests are samples, except the titles. */
function isTestFile(path: string): boolean {
  return /\.test(-d)?\.(ts|mjs)$/.test(path) || path.startsWith('packages/core/test/');
}

function isTitle(node: ts.Node): boolean {
  const call = node.parent;
  if (!ts.isCallExpression(call) || call.arguments[0] !== node) return false;
  return /^(describe|it|test)\b/.test(call.expression.getText());
}
