import {
  type Approvers,
  type Decision,
  type Desk,
  type HoldRow,
  openDesk,
  type Store,
  TamperedError,
} from '@holdpoint/desk';
import { Agent } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { lastContents, newBank, output, pay } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, onlyHold } from '../support/people.ts';

const BOB = { id: 'bob', name: 'Bob' };
const CY = { id: 'cy' };
const QUESTION = 'Which invoice is this for?';
const CHANGES: Decision = { kind: 'retry', message: QUESTION };

/** Pays what the prompt says. Responds to a request for changes with a text and, if it says so, another payment. */
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind === 'user-prompt') return calls('pay', { to: String(last.content) });
  if (last?.kind !== 'retry-prompt') return says(`Results: ${lastContents(messages)}`);
  if (last.content === QUESTION) {
    return responds(says('It is for invoice 7.'), calls('pay', { to: 'acme', euros: 7 }));
  }
  return says('I do not know.');
});

const clerk = new Agent({ name: 'clerk', model, tools: [pay], output });

function deskOn(store: Store, approvers?: Approvers) {
  const bank = newBank();
  const errors: unknown[] = [];
  const desk = openDesk({
    store,
    agents: { clerk: { agent: clerk, deps: () => bank } },
    onError: (error: unknown) => errors.push(error),
    ...(approvers && { approvers }),
  });
  return { bank, desk, errors };
}

async function parked(desk: Desk, prompt = 'acme'): Promise<HoldRow> {
  const runId = await desk.start('clerk', prompt, { requester: ADA });
  await desk.work({ runId });
  return onlyHold(desk, runId);
}

function decide(
  desk: Desk,
  { id, digest }: HoldRow,
  by: { readonly id: string },
  decision: Decision = CHANGES,
): Promise<HoldRow> {
  return desk.decide(id, decision, { by, digest });
}

/** Returns the requests for changes that the model received. */
async function received(desk: Desk, { conversationId }: HoldRow): Promise<readonly unknown[]> {
  const messages = await desk.history(conversationId);
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'retry-prompt' ? [part.content] : [])),
  );
}

describe.each(STORES)('changes requested from the model %s', (_, open) => {
  it('do not execute an edit that another approver proposed', async () => {
    await using opened = await open();
    const { bank, desk } = deskOn(opened.store, { count: 2 });
    const hold = await parked(desk);
    const args = { to: 'mallory', euros: 9 };
    const { shown } = await desk.previewEdit(hold.id, args);
    const edit: Decision = { kind: 'approve', args };
    const edited = await desk.decide(hold.id, edit, { by: BOB, digest: hold.digest, shown });

    const decided = await decide(desk, edited, CY);

    expect(decided).toMatchObject({ state: 'decided', outcome: 'decided' });
    expect((await desk.work({ runId: hold.runId })).state).toBe('parked');
    expect(await onlyHold(desk, hold.runId)).toMatchObject({ args: { to: 'acme', euros: 7 } });
    expect(await received(desk, hold)).toEqual([QUESTION]);
    expect(bank.paid).toEqual([]);
  });
});
