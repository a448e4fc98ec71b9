// #region agent
import { readdir } from 'node:fs/promises';
import { openai } from '@ai-sdk/openai';
import { Agent, tool } from 'holdpoint';

const listNotes = tool({
  name: 'list_notes',
  description: 'Lists the names of all notes.',
  execute: () => readdir('notes'),
});

const agent = new Agent({
  model: openai('gpt-5'),
  instructions: 'You manage the notes of the user. Be brief.',
  tools: [listNotes],
});

const result = await agent.run('Which notes are there?');
console.log(result.output);
// #endregion
