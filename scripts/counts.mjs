/**
 * Counts constructs that the core retires, beside the goal for each.
 *
 *   npm run counts -- [--list]
 *
 * `--list` prints each site below the table.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { findAmbiguousNames } from '../packages/core/test/support/ambiguous-names.ts';
import {
  findWordProblems,
  formatProblem,
  readCheckedFiles,
  readTextFiles,
} from '../packages/core/test/support/words.ts';

/** @typedef {{ path: string, text: string }} TextFile */
/** @typedef {{ name: string, goal: string, sites: string[] }} Count */

const { values: options } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
  },
});

printCounts();

function printCounts() {
  const isTest = (/** @type {string} */ path) => /\.test(-d)?\.ts$/.test(path);
  const source = readTextFiles(['packages/core/src']).filter(({ path }) => !isTest(path));
  /** @type {Count[]} */
  const counts = [
    { name: 'continuation-passing sites', goal: '0', sites: continuationSites(source) },
    { name: '`instanceof Promise`', goal: '0', sites: promiseTests(source) },
    { name: '`MaybePromise` outside callback types', goal: '0', sites: maybePromises(source) },
    { name: 'retired words in source, docs and UI', goal: '0', sites: retiredWords(source) },
    { name: 'top-level names with two meanings', goal: '0', sites: ambiguousNames(source) },
    { name: 'root exports', goal: '120', sites: rootExports(source) },
    { name: 'forgotten exports in the API reports', goal: '0', sites: forgottenExports() },
    { name: 'files', goal: 'about 260', sites: source.map(({ path }) => path) },
  ];
  console.log('| count | now | goal |\n|---|---:|---:|');
  for (const { name, goal, sites } of counts) {
    console.log(`| ${name} | ${sites.length} | ${goal} |`);
  }
  const wordFiles = readCheckedFiles().filter((file) => findWordProblems(file).length > 0);
  console.log(`\n${wordFiles.length} files of the words test contain retired words.`);
  if (!options.list) return;
  for (const { name, sites } of counts.filter((count) => !count.name.startsWith('files'))) {
    console.log(`\n## ${name}\n\n${sites.join('\n')}`);
  }
}

/** @param {TextFile[]} files */
function continuationSites(files) {
  return sitesOf(files, (node) => {
    if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return false;
    return ['chain', 'later', 'eachInTurn'].includes(node.expression.text);
  });
}

/** @param {TextFile[]} files */
function promiseTests(files) {
  return sitesOf(
    files,
    (node) =>
      ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword &&
      node.right.getText() === 'Promise',
  );
}

/**
 * Finds uses of `MaybePromise` that are not part of a function type, such as results of our functions.
 *
 * @param {TextFile[]} files
 */
function maybePromises(files) {
  return sitesOf(files, (node) => {
    if (!ts.isTypeReferenceNode(node) || node.typeName.getText() !== 'MaybePromise') return false;
    const isCallbackType = (/** @type {ts.Node} */ parent) =>
      ts.isFunctionTypeNode(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isCallSignatureDeclaration(parent);
    return ts.findAncestor(node, isCallbackType) === undefined;
  });
}

/** @param {TextFile[]} source */
function retiredWords(source) {
  const docs = readCheckedFiles().filter(({ path }) => path.endsWith('.md'));
  const page = readTextFiles(['packages/desk/page']).filter(({ path }) => !/\.test\./.test(path));
  return [...source, ...docs, ...page].flatMap((file) => findWordProblems(file).map(formatProblem));
}

/** @param {TextFile[]} files */
function ambiguousNames(files) {
  return findAmbiguousNames(files).map(
    ({ name, paths }) => `${name}: ${paths.map(shorten).join(', ')}`,
  );
}

/** @param {TextFile[]} files */
function rootExports(files) {
  const index = files.find(({ path }) => path === 'packages/core/src/index.ts');
  if (index === undefined) return [];
  return parse(index).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) return [];
    return ts.isNamedExports(statement.exportClause)
      ? statement.exportClause.elements.map((element) => element.name.text)
      : [statement.exportClause.name.text];
  });
}

function forgottenExports() {
  const folder = new URL('../packages/core/api/', import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) =>
      readFileSync(new URL(name, folder), 'utf8')
        .split('\n')
        .filter((line) => line.includes('ae-forgotten-export'))
        .map((line) => `${name}: ${line.trim()}`),
    );
}

/**
 * @param {TextFile[]} files
 * @param {(node: ts.Node) => boolean} isSite
 * @returns {string[]}
 */
function sitesOf(files, isSite) {
  return files.flatMap((file) => {
    const tree = parse(file);
    /** @type {string[]} */
    const sites = [];
    const visit = (/** @type {ts.Node} */ node) => {
      if (isSite(node)) {
        const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
        sites.push(`${shorten(file.path)}:${line + 1}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(tree);
    return sites;
  });
}

/** @param {TextFile} file */
function parse({ path, text }) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** @param {string} path */
function shorten(path) {
  return path.replace('packages/core/src/', '');
}
