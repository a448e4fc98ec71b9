// A dictionary agent. It explains words, and adds new ones after the reader's approval.
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, DeferredToolRequests, MemoryLedger, type Message, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

export const words = new Map([['hold point', 'a place where work waits']]);

/**
 * Prevents that a second click executes a call again, in one process. Several processes need a
 * ledger in a database.
 */
export const ledger = new MemoryLedger();

const lookUp = tool({
  name: 'look_up',
  description: 'Look up a word.',
  inputSchema: z.object({ word: z.string() }),
  execute: ({ word }) => words.get(word) ?? 'It is not in here.',
});

const addWord = tool({
  name: 'add_word',
  description: 'Add a word for all readers.',
  inputSchema: z.object({ word: z.string(), meaning: z.string() }),
  requiresApproval: true,
  preview: ({ word, meaning }) => `All readers will find “${word}: ${meaning}”.`,
  execute({ word, meaning }) {
    words.set(word, meaning);
    return `${word} is in here now.`;
  },
});

/** Replaces a model. It depends only on the history. On request, it counts without an end. */
const script = functionModel(() => says('Only streams are scripted.'), {
  async *stream({ messages }) {
    const result = messages.at(-1)?.parts.at(-1);
    if (result?.kind === 'tool-return') return yield* slowly(String(result.content));
    if (asks(messages, 'Count')) for (let n = 1; ; n++) yield* slowly(`${n} `);
    if (!asks(messages, 'Add')) return yield calls('look_up', { word: 'hold point' });
    yield calls('add_word', { word: 'permit', meaning: 'a leave to run' });
  },
});

function asks([first]: readonly Message[], word: string): boolean {
  return JSON.stringify(first).includes(word);
}

async function* slowly(text: string) {
  for (const piece of text.split(/(?<= )/)) {
    yield piece;
    await sleep(5);
  }
}

export const output = [String, DeferredToolRequests] as const;

export const dictionary = new Agent({
  name: 'dictionary',
  model: process.env['HOLDPOINT_MODEL'] || script,
  tools: [lookUp, addWord],
  output,
  durability: { ledger },
});
