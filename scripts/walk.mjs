/**
 * Measures how far a reader has to walk through the core: counts every function entry of four runs.
 *
 *   npm run walk -- [--list plain|park|resume|inline] [--json] [--source packages/core/src]
 *
 * Copies the source to a temporary folder, inserts a call at the start of every named function, and
 * executes the scenarios with the copy. Functions without a name do not count, because a reader meets
 * them in place. Neither do the test models and `testing/`. `--list` prints the entries of one scenario
 * in order.
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
  kind: 'tool-call',
  toolCallId: 'call-1',
  toolName: 'delete_file',
  args: { path: 'a.txt' },
};
const isExcluded = (path) => /(^|\/)(testing|scripted)\//.test(path);

/** The entries of the current scenario, each `file#function:line`. */
let entries = [];
globalThis.__enter = (entry) => void entries.push(entry);

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

/** Returns the text of a module with a call at the start of each of its functions. */
function instrument(path, text) {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const insertions = [];
  const visit = (node) => {
    const name = ts.isFunctionLike(node) && node.body !== undefined ? nameOf(node) : undefined;
    if (name !== undefined) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      const call = `globalThis.__enter(${JSON.stringify(`${path}#${name}:${line + 1}`)})`;
      if (ts.isBlock(node.body)) insertions.push([node.body.getStart() + 1, ` ${call};`]);
      else insertions.push([node.body.getStart(), `(${call}, `], [node.body.getEnd(), ')']);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  // From the end of the text to its start, so that earlier positions stay valid.
  return insertions
    .map(([position, inserted], order) => ({ position, inserted, order }))
    .toSorted((a, b) => b.position - a.position || b.order - a.order)
    .reduce(
      (result, { position, inserted }) =>
        result.slice(0, position) + inserted + result.slice(position),
      text,
    );
}

function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return `new ${node.parent.name?.text ?? 'class'}`;
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  const isNamed = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
  return isNamed ? parent.name.getText() : undefined;
}

async function loadCopy() {
  const load = (path) => import(pathToFileURL(join(copy, path)).href);
  return { ...(await load('index.ts')), ...(await load('testing/index.ts')) };
}

async function measureScenarios({ Agent, DeferredToolRequests, scriptedModel, tool }) {
  const agentWith = (requiresApproval) =>
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
  const approveAll = (requests) => requests.buildResults({ approveAll: true });

  const plain = agentWith(false);
  const guarded = agentWith(true);
  const inline = agentWith(true);
  const walks = [];
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
  const results = approveAll(parked.output);
  await measure('resume', '`resume` with that call approved, final text', () =>
    guarded.resume(parked, results),
  );
  await measure('inline', 'the same inline with a handler', () =>
    inline.run('Delete a.txt', { deferredToolHandler: approveAll }),
  );
  return walks;
}

function countsOf({ title, entries: walk }) {
  const files = walk.map((entry) => entry.slice(0, entry.indexOf('#')));
  const layers = files.map((file) => file.split('/')[0]);
  return {
    scenario: title,
    'function entries': walk.length,
    'distinct functions': new Set(walk).size,
    files: new Set(files).size,
    'file switches': switchesIn(files),
    'layer switches': switchesIn(layers),
  };
}

function switchesIn(list) {
  return list.filter((item, index) => index > 0 && item !== list[index - 1]).length;
}

function printTable(rows) {
  const columns = Object.keys(rows[0]);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  console.log(line(columns));
  console.log(`|${columns.map((_, index) => (index === 0 ? '---|' : '---:|')).join('')}`);
  for (const row of rows) console.log(line(Object.values(row)));
}

function printEntries(walks, name) {
  const walk = walks.find((one) => one.name === name);
  if (walk === undefined) {
    const known = walks.map((one) => `\`${one.name}\``).join(', ');
    throw new Error(`Unknown scenario: \`${name}\`. Pass one of ${known} to \`--list\`.`);
  }
  for (const entry of walk.entries) console.log(entry);
}
