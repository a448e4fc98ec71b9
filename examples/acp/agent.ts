// An agent for editors with the Agent Client Protocol: `holdpoint acp examples/acp/agent.ts`.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

const folder = resolve(process.env['NOTES_FOLDER'] ?? 'notes');

// Without a real model, the prompt becomes the text of a note.
const model =
  process.env['HOLDPOINT_MODEL'] ||
  functionModel(({ messages }) => {
    const part = messages.at(-1)?.parts.find(({ kind }) => kind === 'user-prompt');
    if (part?.kind !== 'user-prompt') return says('Done.');
    return calls('write_note', { name: 'today.md', text: `${String(part.content)}\n` });
  });

// #region file
const writeNote = tool({
  name: 'write_note',
  description: 'Writes a note.',
  inputSchema: z.object({ name: z.string().regex(/^[\w-]+\.md$/), text: z.string() }),
  requiresApproval: true,
  // Editors show a `path` with the texts `before` and `after` as a diff.
  preview: async ({ name, text }) => {
    const path = join(folder, name);
    return { path, before: await readFile(path, 'utf8').catch(() => ''), after: text };
  },
  async execute({ name, text }) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), text);
    return `${name} written`;
  },
});

export default new Agent({ name: 'notes', model, tools: [writeNote] });

// Optional: the kinds of tools, from which editors choose an icon.
export const acp = { toolKinds: { write_note: 'edit' } };
// #endregion
