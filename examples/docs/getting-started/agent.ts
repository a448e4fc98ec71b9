// #region agent
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openai } from '@ai-sdk/openai';
import { Agent, tool } from 'holdpoint';
import { z } from 'zod';

const listNotes = tool({
  name: 'list_notes',
  description: 'Lists the names of all notes.',
  execute: () => readdir('notes'),
});

const deleteNote = tool({
  name: 'delete_note',
  description: 'Deletes a note permanently.',
  inputSchema: z.object({ name: z.string() }),
  requiresApproval: true,
  async execute({ name }) {
    await rm(join('notes', basename(name)));
    return `${name} is deleted`;
  },
});

export const agent = new Agent({
  model: openai('gpt-5'),
  instructions: 'You manage the notes of the user. Be brief.',
  tools: [listNotes, deleteNote],
});
// #endregion
