import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Agent, tool } from 'holdpoint';
import { z } from 'zod';
import { model } from './model.ts';

const folder = process.env['NOTES'] || 'notes';

const listNotes = tool({
  name: 'list_notes',
  description: 'Lists the names of all notes.',
  readOnly: true,
  execute: () => readdir(folder),
});

const deleteNote = tool({
  name: 'delete_note',
  description: 'Deletes a note permanently.',
  inputSchema: z.object({ name: z.string() }),
  // The tool executes only after you approve the call.
  requiresApproval: true,
  preview: ({ name }) => `Delete the note ${name}`,
  async execute({ name }) {
    await rm(join(folder, basename(name)));
    return `${name} is deleted`;
  },
});

export const agent = new Agent({
  name: 'notes',
  model,
  instructions: 'You manage the notes of the user. Be brief.',
  tools: [listNotes, deleteNote],
});
