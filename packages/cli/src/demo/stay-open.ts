import type { DeskClient } from '@holdpoint/desk/client';
import type { Site } from './site.ts';
import type { Stage } from './stage.ts';

/** Leaves the desk open for whoever wants to try it, and tells what happens there, until Ctrl-C. */
export async function stayOpen(stage: Stage, site: Site, signal: AbortSignal): Promise<void> {
  stage.heading('The desk stays open');
  stage.fact(
    'Try the rest on the page: a transfer that two have to agree to, a question to somebody elsewhere, ' +
      'a courier who waits ten minutes. What happens is told here. Ctrl-C ends it.',
  );
  const client = site.as('grace');
  try {
    for await (const { kind, runId, data } of client.events({ signal })) {
      if (kind === 'hold-voted') stage.fact(await votes(client, String(data['holdId'])));
      if (kind === 'hold-settled') stage.fact(await settled(client, String(data['holdId'])));
      if (kind === 'run-finished') {
        stage.outcome(`the agent says: “${String((await client.run(runId)).output)}”`);
      }
    }
  } catch (error) {
    // Ctrl-C reaches the desk as well, which may be gone first.
    if (!signal.aborted) throw error;
  }
}

async function votes(client: DeskClient, holdId: string): Promise<string> {
  const { hold } = await client.hold(holdId);
  const names = hold.votes.filter(({ counts }) => counts).map(({ by }) => by.name ?? by.id);
  const all = hold.approvers?.count ?? 1;
  return `${hold.toolName}: ${names.length} of ${all} have agreed: ${names.join(', ')}.`;
}

async function settled(client: DeskClient, holdId: string): Promise<string> {
  const { hold, answers } = await client.hold(holdId);
  const last = answers.at(-1);
  if (hold.outcome !== 'decided' || last === undefined) {
    return `${hold.toolName} is ${hold.outcome ?? 'settled'}.`;
  }
  return `${hold.toolName}: ${last.by.name ?? last.by.id} has said “${last.answer.kind}”, and it is decided.`;
}
