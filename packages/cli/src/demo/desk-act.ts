import { DatabaseSync } from 'node:sqlite';
import type { DeskClient, HoldView, RunView } from '@holdpoint/desk/client';
import { shortId } from '../desk/find-id.ts';
import { personText } from '../desk/format.ts';
import { runCommandHere } from './processes.ts';
import { PROMPTS } from './shop.ts';
import type { Site } from './site.ts';
import type { Stage } from './stage.ts';

/** Parks four runs at a desk, kills it, and has the user decide in the inbox or in the terminal. */
export async function playDeskAct(stage: Stage, site: Site, signal: AbortSignal): Promise<void> {
  stage.heading('A desk stores pending calls; you decide in the inbox or in the terminal');
  await site.open();
  const runId = await startRuns(site);
  stage.fact('Ada sent four requests to the agent of a shop. Each one needs a decision:');
  await site.command(['holds'], 'grace');

  await site.kill();
  stage.fact('Now the desk is killed (kill -9) and started again.');
  await site.open();

  const [hold] = (await site.as('grace').holds({ runId })).items;
  if (hold === undefined) throw new Error('The run did not park.');
  if (stage.isInteractive) {
    stage.link('Inbox: you are Grace, and this link works once.', await site.linkFor('grace'));
    stage.fact('Decide the refund there or here. The first decision counts.');
  } else {
    stage.fact(`People decide in the inbox, ${site.url}/inbox.`);
  }
  await approve(stage, site, shortId(hold.id), signal);
  const run = await showOutcome(stage, site, hold);
  if (run.state === 'finished') await showAudit(stage, site, hold);
  if (stage.isInteractive) {
    const text = 'The transfer needs two treasurers. To be Edsger, use a private window:';
    stage.link(text, await site.linkFor('edsger'));
  }
}

/** Starts Ada's runs; returns the id of the refund. */
async function startRuns(site: Site): Promise<string> {
  const runs: string[] = [];
  for (const prompt of Object.values(PROMPTS)) {
    const { id } = await site.as('ada').start({ agent: 'shop', prompt });
    await site.until(id, 'parked');
    runs.push(id);
  }
  return runs[0] ?? '';
}

async function approve(
  stage: Stage,
  site: Site,
  holdId: string,
  signal: AbortSignal,
): Promise<void> {
  if (!stage.isInteractive) return site.command(['approve', holdId, '--yes'], 'grace');
  const command = ['approve', holdId];
  stage.command(command);
  signal.throwIfAborted();
  const exitCode = await runCommandHere(command, site.environmentOf('grace'));
  if (exitCode === 130) throw new DOMException('Stopped with Ctrl-C.', 'AbortError');
}

async function showOutcome(stage: Stage, site: Site, { id, runId }: HoldView): Promise<RunView> {
  const { hold } = await site.as('grace').hold(id);
  if (hold.state === 'open') {
    stage.fact('The refund stays pending. Nothing is paid without a decision.');
    return site.as('grace').run(runId);
  }
  const run = await site.until(runId, 'finished');
  const outcome = run.state === 'finished' ? `“${String(run.output)}”` : `it is ${run.state}`;
  stage.fact(`The desk resumed the run: ${outcome}`);
  stage.outcome(`journal of the shop: ${site.journal.lines().join(', ') || 'empty'}`);
  return run;
}

/** Sends a late decision, verifies the audit, forges an entry, and verifies it again. */
async function showAudit(stage: Stage, site: Site, { id, runId }: HoldView): Promise<void> {
  const late = ['deny', shortId(id), '--yes'];
  const verify = ['audit', 'verify', shortId(runId)];
  stage.fact('Mallory tries to deny the same call later:');
  stage.command(late);
  const [denied, intact] = await Promise.all([
    site.run(late, 'mallory'),
    site.run(verify, 'grace'),
  ]);
  stage.output(denied);
  stage.command(verify);
  stage.output(withoutBlindSpots(intact));

  forgeAudit(runId, site);
  stage.fact('An attacker replaces “grace” by “mallory” in the audit table:');
  stage.command(verify);
  const forged = await site.run(verify, 'grace');
  stage.output(withoutBlindSpots(forged));
  const isDetected = intact.startsWith('Intact') && forged.startsWith('Damaged');
  stage.outcome(isDetected ? 'the forgery is detected' : 'the forgery is not detected', isDetected);
}

function withoutBlindSpots(printed: string): string {
  return printed.replace(/\nNot covered[^]*/, '');
}

/** Changes the recorded approver in the database. */
function forgeAudit(runId: string, site: Site): void {
  const database = new DatabaseSync(site.file);
  try {
    const update = `update desk_audit set person = replace(person, 'grace', 'mallory') where run_id = ?`;
    database.prepare(update).run(runId);
  } finally {
    database.close();
  }
}

/** Keeps the desk open and prints its events until Ctrl-C. */
export async function keepDeskOpen(stage: Stage, site: Site, signal: AbortSignal): Promise<void> {
  stage.heading('The desk stays open');
  stage.fact(
    'Try the other holds in the inbox: a transfer that needs two approvers, a question to a supplier, ' +
      'and a courier whose offer expires after ten minutes. Decisions appear here. Press Ctrl-C to stop.',
  );
  const client = site.as('grace');
  try {
    for await (const { kind, runId, data } of client.events({ signal })) {
      if (kind === 'hold-voted') stage.fact(await describeVotes(client, String(data['holdId'])));
      if (kind === 'hold-settled') stage.fact(await describeHold(client, String(data['holdId'])));
      if (kind === 'run-finished') {
        stage.outcome(`the agent: “${String((await client.run(runId)).output)}”`);
      }
    }
  } catch (error) {
    // Ctrl-C also stops the desk, whose connection can end first.
    if (!signal.aborted) throw error;
  }
}

async function describeVotes(client: DeskClient, holdId: string): Promise<string> {
  const { hold } = await client.hold(holdId);
  const names = hold.votes.filter(({ counts }) => counts).map(({ by }) => by.name ?? by.id);
  const count = hold.approvers?.count ?? 1;
  return `${hold.title}: ${names.length} of ${count} approvals (${names.join(', ')}).`;
}

async function describeHold(client: DeskClient, holdId: string): Promise<string> {
  const { hold, decisions } = await client.hold(holdId);
  const last = decisions.at(-1);
  if (hold.outcome !== 'decided' || last === undefined) {
    return `${hold.title} is ${hold.outcome ?? 'settled'}.`;
  }
  return `${hold.title} is decided: ${last.decision.kind}, by ${personText(last.by)}.`;
}
