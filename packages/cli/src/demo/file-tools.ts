import { ExternalToolset, ModelRetry, type RunContext, type Tool, tool } from 'holdpoint';
import type { Sandbox } from './sandbox.ts';
import { texts } from './texts.ts';

type Ctx = RunContext<Sandbox>;
const SHORTEST_REASON = 12;

// Reads just run.
const listFiles = tool({
  name: 'list_files',
  description: 'The paths of all files.',
  execute: (_args, ctx: Ctx) => ctx.deps.list(),
});

const readFile = tool({
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: texts('path'),
  execute: ({ path }, ctx: Ctx) => ctx.deps.read(path),
});

// Writes ask, and show what will change.
const writeFile = tool({
  name: 'write_file',
  description: 'Writes a file, whole.',
  inputSchema: texts('path', 'content'),
  requiresApproval: true,
  preview: ({ path, content }, ctx: Ctx) => ({ path, before: ctx.deps.read(path), after: content }),
  execute({ path, content }, ctx: Ctx) {
    ctx.deps.write(path, content);
    return `${path} is written.`;
  },
});

// Deletions need a reason. Without one the model is sent back, and nobody is asked.
const deleteFile = tool({
  name: 'delete_file',
  description: 'Deletes a file. Say why.',
  inputSchema: texts('path', 'reason'),
  argsValidator({ reason }) {
    if (reason.length < SHORTEST_REASON) throw new ModelRetry('Say in a sentence why it can go.');
  },
  requiresApproval: true,
  execute({ path }, ctx: Ctx) {
    ctx.deps.delete(path);
    return `${path} is deleted.`;
  },
});

export const fileTools: readonly Tool<Sandbox>[] = [listFiles, readFile, writeFile, deleteFile];

/** What the owner says comes from outside: nothing runs here. */
export const owner: ExternalToolset = new ExternalToolset([
  {
    name: 'ask_owner',
    description: 'Asks the owner of the project a question.',
    parametersJsonSchema: {
      type: 'object',
      properties: { question: { type: 'string' } },
      required: ['question'],
    },
  },
]);
