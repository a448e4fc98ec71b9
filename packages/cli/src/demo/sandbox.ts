import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { ExternalToolset, ModelRetry, type RunContext, type Tool, tool } from 'holdpoint';
import { texts } from './fields.ts';

const FILES: Readonly<Record<string, string>> = {
  'CHANGELOG.md': '# Changes\n\n## Unreleased\n\n- Add a keep-warm mode\n- Fix the lid sensor\n',
  'package.json': '{ "name": "kettle", "version": "1.2.0" }\n',
  'build/march.log': 'warning: the lid is open\n'.repeat(3),
};

/** A folder that an agent works in. Paths outside of it are rejected. */
export class Sandbox {
  readonly root: string;

  /** Uses an existing folder. */
  constructor(root: string) {
    this.root = root;
  }

  /** Creates a folder with a small project. */
  static create(root: string): Sandbox {
    const sandbox = new Sandbox(root);
    for (const [path, content] of Object.entries(FILES)) sandbox.write(path, content);
    return sandbox;
  }

  list(): readonly string[] {
    return readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(this.root, join(entry.parentPath, entry.name)))
      .toSorted();
  }

  /** Reads a file; returns an empty text if it is missing. */
  read(path: string): string {
    const file = this.#resolve(path);
    return this.list().includes(relative(this.root, file)) ? readFileSync(file, 'utf8') : '';
  }

  write(path: string, content: string): void {
    const file = this.#resolve(path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  delete(path: string): void {
    rmSync(this.#resolve(path), { force: true });
  }

  #resolve(path: string): string {
    const file = resolve(this.root, path);
    if (file.startsWith(this.root + sep)) return file;
    throw new ModelRetry('Use a path inside the folder.');
  }
}

type Ctx = RunContext<Sandbox>;
const MIN_REASON_LENGTH = 12;

const listFiles = tool({
  name: 'list_files',
  description: 'List the paths of all files.',
  execute: (_args, ctx: Ctx) => ctx.deps.list(),
});

const readFile = tool({
  name: 'read_file',
  description: 'Read a file.',
  inputSchema: texts('path'),
  execute: ({ path }, ctx: Ctx) => ctx.deps.read(path),
});

const writeFile = tool({
  name: 'write_file',
  description: 'Write a whole file.',
  inputSchema: texts('path', 'content'),
  requiresApproval: true,
  preview: ({ path, content }, ctx: Ctx) => ({ path, before: ctx.deps.read(path), after: content }),
  execute({ path, content }, ctx: Ctx) {
    ctx.deps.write(path, content);
    return `Wrote ${path}.`;
  },
});

// A short reason is rejected before an approver sees the call.
const deleteFile = tool({
  name: 'delete_file',
  description: 'Delete a file. Give the reason in a sentence.',
  inputSchema: texts('path', 'reason'),
  argsValidator({ reason }) {
    if (reason.length < MIN_REASON_LENGTH) throw new ModelRetry('Give the reason in a sentence.');
  },
  requiresApproval: true,
  execute({ path }, ctx: Ctx) {
    ctx.deps.delete(path);
    return `Deleted ${path}.`;
  },
});

/** Tools that read files without approval and change them with approval. */
export const fileTools: readonly Tool<Sandbox>[] = [listFiles, readFile, writeFile, deleteFile];

/** A tool whose result a person supplies. */
export const owner: ExternalToolset = new ExternalToolset([
  {
    name: 'ask_owner',
    description: 'Ask the owner of the project a question.',
    parametersJsonSchema: {
      type: 'object',
      properties: { question: { type: 'string' } },
      required: ['question'],
    },
  },
]);
