import { type Desk, type Decision, type DeskEvent, openDesk } from '@holdpoint/desk';
import { Agent, ApprovalRequired, ToolFailed, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newBank, output, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, GRACE, onlyHold, decide } from '../support/people.ts';

const SECRET = 'hunter2secret';

/** Attaches the secret to its approval request, and fails with it. */
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
  it('contain nothing of prompts, arguments, previews, reasons, results, outputs and errors', async () => {
    await using opened = await open();
    const notified: DeskEvent[] = [];
    const desk = openDesk({
      store: opened.store,
      agents: {
        teller: { agent: teller, deps: () => newBank() },
        leaky: { agent: leakyAgent },
      },
      notify: (event) => {
        notified.push(event);
      },
    });
    const runIds = [
      await decided(desk, 'teller', `pay ${SECRET}`, { kind: 'approve' }),
      await decided(desk, 'teller', `pay ${SECRET}`, { kind: 'approve', args: { to: SECRET } }),
      await decided(desk, 'teller', `pay ${SECRET}`, { kind: 'deny', reason: SECRET }),
      await decided(desk, 'teller', `look_up ${SECRET}`, { kind: 'result', value: SECRET }),
      await decided(desk, 'teller', `look_up ${SECRET}`, { kind: 'retry', message: SECRET }),
      await decided(desk, 'teller', `look_up ${SECRET}`, { kind: 'fail', message: SECRET }),
      await decided(desk, 'leaky', 'fail', { kind: 'approve' }),
      await decided(desk, 'leaky', 'throw', { kind: 'approve' }),
      await desk.start('leaky', 'break'),
    ];
    await desk.drain();
    const { conversationId, id } = await desk.run(await desk.start('teller', 'pay a'));
    await desk.work({ runId: id });
    await desk.message(conversationId, SECRET, { onOpenHolds: 'supersede', requester: ADA });
    await desk.work({ runId: id });
    await desk.drain();

    const audits = await Promise.all([...runIds, id].map((runId) => desk.audit(runId)));
    const kinds = new Set(audits.flat().map(({ kind }) => kind));
    for (const kind of ['call-settled', 'call-in-doubt', 'run-released', 'message-received']) {
      expect(kinds).toContain(kind);
    }
    expect(notified.length).toBeGreaterThan(20);
    expect(JSON.stringify([audits, notified])).not.toContain(SECRET);
    // The history contains the secret, so the search can find it.
    expect(JSON.stringify(await desk.runs())).toContain(SECRET);
  });
});

/** Starts a run that parks, decides its hold, and resumes it. */
async function decided<Name extends string>(
  desk: Desk<Name>,
  agent: Name,
  prompt: string,
  decision: Decision,
): Promise<string> {
  const runId = await desk.start(agent, prompt, { requester: GRACE });
  await desk.work({ runId });
  await decide(desk, await onlyHold(desk, runId), decision);
  await desk.work({ runId });
  return runId;
}
