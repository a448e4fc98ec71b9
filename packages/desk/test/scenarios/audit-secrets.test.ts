import { type Desk, type HoldAnswer, type OutboxRow, openDesk } from '@holdpoint/desk';
import { Agent, ApprovalRequired, ToolFailed, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newBank, output, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, GRACE, onlyHold, say } from '../support/people.ts';

const SECRET = 'hunter2secret';

/** Attaches the secret to what waits, and fails with it. */
const leaky = tool({
  name: 'leaky',
  inputSchema: z.object({ how: z.string() }),
  preview: () => `preview ${SECRET}`,
  execute({ how }, ctx) {
    if (!ctx.toolCallApproved) throw new ApprovalRequired({ why: SECRET });
    if (how === 'fail') throw new ToolFailed(SECRET);
    throw new Error(SECRET);
  },
});

const leakyAgent = new Agent({
  model: functionModel(({ messages }) => {
    const last = messages.at(-1)?.parts.at(-1);
    if (last?.kind !== 'user-prompt') return says(SECRET);
    if (last.content === 'break') throw new Error(SECRET);
    return calls('leaky', { how: String(last.content) });
  }),
  tools: [leaky],
  output,
});

describe.each(STORES)('audit and outbox at a desk %s', (_, open) => {
  it('hold nothing of prompts, arguments, previews, reasons, results, outputs and errors', async () => {
    await using opened = await open();
    const told: OutboxRow[] = [];
    const desk = openDesk({
      store: opened.store,
      agents: {
        teller: { agent: teller, deps: () => newBank() },
        leaky: { agent: leakyAgent },
      },
      notify: (event) => {
        told.push(event);
      },
    });
    const runIds = [
      await answered(desk, 'teller', `pay ${SECRET}`, { kind: 'approve' }),
      await answered(desk, 'teller', `pay ${SECRET}`, { kind: 'edit', args: { to: SECRET } }),
      await answered(desk, 'teller', `pay ${SECRET}`, { kind: 'deny', message: SECRET }),
      await answered(desk, 'teller', `look_up ${SECRET}`, { kind: 'result', value: SECRET }),
      await answered(desk, 'teller', `look_up ${SECRET}`, { kind: 'retry', message: SECRET }),
      await answered(desk, 'teller', `look_up ${SECRET}`, { kind: 'fail', message: SECRET }),
      await answered(desk, 'leaky', 'fail', { kind: 'approve' }),
      await answered(desk, 'leaky', 'throw', { kind: 'approve' }),
      await desk.start('leaky', 'break'),
    ];
    await desk.workOff();
    const { conversationId, id } = await desk.run(await desk.start('teller', 'pay a'));
    await desk.work({ runId: id });
    await desk.message(conversationId, SECRET, { onOpenHolds: 'supersede', requester: ADA });
    await desk.work({ runId: id });
    await desk.workOff();

    const audits = await Promise.all([...runIds, id].map((runId) => desk.audit(runId)));
    const kinds = new Set(audits.flat().map(({ kind }) => kind));
    for (const kind of ['call-settled', 'call-doubted', 'run-given-back', 'message-received']) {
      expect(kinds).toContain(kind);
    }
    expect(told.length).toBeGreaterThan(20);
    expect(JSON.stringify([audits, told])).not.toContain(SECRET);
    // It is there to be found.
    expect(JSON.stringify(await desk.runs())).toContain(SECRET);
  });
});

/** Starts a run that parks, answers its hold, and has it go on. */
async function answered<Name extends string>(
  desk: Desk<Name>,
  agent: Name,
  prompt: string,
  answer: HoldAnswer,
): Promise<string> {
  const runId = await desk.start(agent, prompt, { requester: GRACE });
  await desk.work({ runId });
  await say(desk, await onlyHold(desk, runId), answer);
  await desk.work({ runId });
  return runId;
}
