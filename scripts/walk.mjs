/**
 * Measures how much code of the core a reader has to follow. Counts the function entries of four
 * runs.
 *
 *   npm run walk -- [--list plain|park|resume|inline] [--json] [--source packages/core/src]
 *
 * Copies the source to a temporary folder, inserts a call at the start of every named function, and
 * executes the scenarios with the copy. Functions without a name do not count, because a reader
 * sees them in place. The test models and `testing/` do not count either. `--list` prints the
 * entries of one scenario in order.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { z } from 'zod';

const { values: options } = parseArgs({
  options: {
    source: { type: 'string' },
    list: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const source = options.source ?? fileURLToPath(new URL('../packages/core/src', import.meta.url));
const CALL = {
  kind: /** @type {const} */ ('tool-call'),
  toolCallId: 'call-1',
  toolName: 'delete_file',
  args: { path: 'a.txt' },
};
const isExcluded = (/** @type {string} */ path) => /(^|\/)(testing|scripted)\//.test(path);

/** @typedef {{ name: string, title: string, entries: string[] }} Walk */

/**
 * The entries of the current scenario, each `file#function:line`.
 *
 * @type {string[]}
 */
let entries = [];
Object.assign(globalThis, { __enter: (/** @type {string} */ entry) => void entries.push(entry) });

const copy = mkdtempSync(join(tmpdir(), 'holdpoint-walk-'));
try {
  instrumentCopy();
  const walks = await measureScenarios(await loadCopy());
  if (options.list !== undefined) printEntries(walks, options.list);
  else if (options.json) console.log(JSON.stringify(walks.map(countsOf), undefined, 2));
  else printTable(walks.map(countsOf));
} finally {
  rmSync(copy, { recursive: true });
}

function instrumentCopy() {
  cpSync(source, copy, { recursive: true });
  writeFileSync(join(copy, 'package.json'), '{ "type": "module" }');
  for (const file of readdirSync(copy, { recursive: true, withFileTypes: true })) {
    if (!file.isFile() || !/(?<!\.test(-d)?)\.ts$/.test(file.name)) continue;
    const path = join(file.parentPath, file.name);
    const name = relative(copy, path).split(sep).join('/');
    if (!isExcluded(name)) writeFileSync(path, instrument(name, readFileSync(path, 'utf8')));
  }
}

/**
 * Returns the text of a module with a call at the start of each of its named functions.
 *
 * @param {string} path
 * @param {string} text
 */
function instrument(path, text) {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  /** @type {[position: number, inserted: string][]} */
  const insertions = [];
  const visit = (/** @type {ts.Node} */ node) => {
    const body = ts.isFunctionLike(node) && 'body' in node ? node.body : undefined;
    const name = body === undefined ? undefined : nameOf(node);
    if (body !== undefined && name !== undefined) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      const call = `globalThis.__enter(${JSON.stringify(`${path}#${name}:${line + 1}`)})`;
      if (ts.isBlock(body)) insertions.push([body.getStart() + 1, ` ${call};`]);
      else insertions.push([body.getStart(), `(${call}, `], [body.getEnd(), ')']);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  // Inserts from the end of the text to its start, so that earlier positions stay valid.
  return insertions
    .map(([position, inserted], order) => ({ position, inserted, order }))
    .toSorted((a, b) => b.position - a.position || b.order - a.order)
    .reduce(
      (result, { position, inserted }) =>
        result.slice(0, position) + inserted + result.slice(position),
      text,
    );
}

/** @param {ts.Node} node */
function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return `new ${node.parent.name?.text ?? 'class'}`;
  const named = ts.getNameOfDeclaration(/** @type {ts.Declaration} */ (node));
  if (named !== undefined) return named.getText();
  const { parent } = node;
  const isNamed = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
  return isNamed ? parent.name.getText() : undefined;
}

/** @returns {Promise<typeof import('holdpoint') & typeof import('holdpoint/testing')>} */
async function loadCopy() {
  const load = (/** @type {string} */ path) => import(pathToFileURL(join(copy, path)).href);
  return { ...(await load('index.ts')), ...(await load('testing/index.ts')) };
}

/**
 * @param {Awaited<ReturnType<typeof loadCopy>>} library
 * @returns {Promise<Walk[]>}
 */
async function measureScenarios({ Agent, DeferredToolRequests, scriptedModel, tool }) {
  const agentWith = (/** @type {boolean} */ requiresApproval) =>
    new Agent({
      model: scriptedModel({ parts: [CALL] }, 'Deleted.'),
      tools: [
        tool({
          name: 'delete_file',
          inputSchema: z.object({ path: z.string() }),
          requiresApproval,
          execute: ({ path }) => `File '${path}' deleted`,
        }),
      ],
      output: [String, DeferredToolRequests],
    });
  const approveAll = (/** @type {import('holdpoint').DeferredToolRequests} */ requests) =>
    requests.buildResults({ approveAll: true });

  const plain = agentWith(false);
  const guarded = agentWith(true);
  const inline = agentWith(true);
  /** @type {Walk[]} */
  const walks = [];
  /**
   * @template Result
   * @param {string} name
   * @param {string} title
   * @param {() => Promise<Result>} run
   */
  const measure = async (name, title, run) => {
    entries = [];
    const result = await run();
    walks.push({ name, title, entries });
    return result;
  };

  await measure('plain', '`run`, one plain tool call, final text', () => plain.run('Delete a.txt'));
  const parked = await measure('park', '`run` that parks on one approval', () =>
    guarded.run('Delete a.txt'),
  );
  if (!(parked.output instanceof DeferredToolRequests)) throw new Error('The run did not park.');
  const results = approveAll(parked.output);
  await measure('resume', '`resume` with that call approved, final text', () =>
    guarded.resume(/** @type {never} */ (parked), results),
  );
  await measure('inline', 'the same inline with a handler', () =>
    inline.run('Delete a.txt', { deferredToolHandler: approveAll }),
  );
  return walks;
}

/** @param {Walk} walk */
function countsOf({ title, entries: walk }) {
  const files = walk.map((entry) => entry.slice(0, entry.indexOf('#')));
  const layers = files.map((file) => file.slice(0, file.indexOf('/')));
  return {
    scenario: title,
    'function entries': walk.length,
    'distinct functions': new Set(walk).size,
    files: new Set(files).size,
    'file switches': switchesIn(files),
    'layer switches': switchesIn(layers),
  };
}

/** @param {string[]} list */
function switchesIn(list) {
  return list.filter((item, index) => index > 0 && item !== list[index - 1]).length;
}

/** @param {ReturnType<typeof countsOf>[]} rows */
function printTable(rows) {
  const columns = Object.keys(rows[0] ?? {});
  const line = (/** @type {unknown[]} */ cells) => `| ${cells.join(' | ')} |`;
  console.log(line(columns));
  console.log(`|${columns.map((_, index) => (index === 0 ? '---|' : '---:|')).join('')}`);
  for (const row of rows) console.log(line(Object.values(row)));
}

/**
 * @param {Walk[]} walks
 * @param {string} name
 */
function printEntries(walks, name) {
  const walk = walks.find((one) => one.name === name);
  if (walk === undefined) {
    const known = walks.map((one) => `\`${one.name}\``).join(', ');
    throw new Error(`Unknown scenario: \`${name}\`. Pass one of ${known} to \`--list\`.`);
  }
  for (const entry of walk.entries) console.log(entry);
}
