// A desk for an editor: Ada approves her own notes, and Grace of accounting decides payments in the
// inbox.
//
//   holdpoint acp examples/acp/desk.ts     started by the editor
//   holdpoint desk examples/acp/desk.ts    serves the inbox
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { sqliteStore } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

const writeNote = tool({
  name: 'write_note',
  description: 'Writes a note.',
  inputSchema: z.object({ text: z.string() }),
  requiresApproval: true,
  execute: ({ text }) => `note written: ${text}`,
});

const pay = tool({
  name: 'pay',
  description: 'Pays an invoice.',
  inputSchema: z.object({ invoice: z.string(), euros: z.number().positive() }),
  requiresApproval: true,
  preview: ({ invoice, euros }) => `Pays ${euros} euros for invoice ${invoice}.`,
  execute: ({ euros }) => `${euros} euros paid`,
});

/** Replaces a model. */
const script = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind === 'tool-return') return says(`${last.toolName}: ${String(last.content)}.`);
  const isPayment = JSON.stringify(last).includes('Pay');
  return isPayment
    ? calls('pay', { invoice: '17', euros: 40 })
    : calls('write_note', { text: 'Buy milk.' });
});

const clerk = new Agent({
  name: 'clerk',
  model: process.env['HOLDPOINT_MODEL'] || script,
  tools: [writeNote, pay],
});

// #region file
export default {
  store: await sqliteStore({ path: process.env['DESK_FILE'] ?? join(tmpdir(), 'notes-desk.db') }),
  agents: { clerk: { agent: clerk } },
  url: 'http://127.0.0.1:4680',
  approvers: {
    write_note: { people: ['ada'], grants: 'requester' },
    pay: { roles: ['accounting'], notRequester: true },
  },
};

export const acp = { person: { id: 'ada', name: 'Ada' }, toolKinds: { write_note: 'edit' } };
// #endregion
