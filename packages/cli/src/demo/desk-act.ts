import { DatabaseSync } from 'node:sqlite';
import type { HoldView, RunView } from '@holdpoint/desk/client';
import { shortId } from '../desk/find-id.ts';
import { runCommandHere } from './processes.ts';
import { WISHES } from './shop-model.ts';
import type { Site } from './site.ts';
import type { Stage } from './stage.ts';

/** What the act plays with. */
interface Surroundings {
  readonly site: Site;
  /** Whether somebody sits there who can be asked. */
  readonly isWatched: boolean;
  readonly signal: AbortSignal;
}

/** Calls wait at a desk, which is killed meanwhile, and somebody answers on the page or from the command line. */
export async function atTheDesk(stage: Stage, surroundings: Surroundings): Promise<void> {
  const { site, isWatched } = surroundings;
  stage.heading('Calls wait at a desk, and you answer on its page or from the command line');
  await site.open();
  const runId = await askForEverything(site);
  stage.fact('Ada has asked the agent of a shop for four things. None of them runs by itself:');
  await site.command(['holds'], 'grace');

  await site.kill();
  stage.fact('Now the desk is killed (kill -9), and another process opens it again.');
  await site.open();

  const [hold] = (await site.as('grace').holds({ runId })).items;
  if (hold === undefined) throw new Error('The run did not wait for anybody.');
  if (isWatched) {
    stage.link('The page. You are Grace, and this lets you in once:', await site.linkFor('grace'));
    stage.fact('Answer the refund there or here: what comes first counts.');
  } else {
    stage.fact(`For people there is a page, ${site.url}/inbox.`);
  }
  await approve(stage, surroundings, shortId(hold.id));
  const run = await tellOutcome(stage, site, hold);
  if (run.state === 'finished') await afterwards(stage, site, hold);
  if (isWatched) await inviteEdsger(stage, site);
}

/** Has Ada start a run for each of her wishes; gives the first, which is the refund. */
async function askForEverything(site: Site): Promise<string> {
  const runs: string[] = [];
  for (const prompt of Object.values(WISHES)) {
    const { id } = await site.as('ada').start({ agent: 'shop', prompt });
    await site.until(id, 'parked');
    runs.push(id);
  }
  return runs[0] ?? '';
}

/** The approval comes from whoever sits there, or as it is written down. */
async function approve(
  stage: Stage,
  { site, isWatched, signal }: Surroundings,
  holdId: string,
): Promise<void> {
  if (!isWatched) return site.command(['approve', holdId, '--yes'], 'grace');
  const command = ['approve', holdId];
  stage.command(command);
  signal.throwIfAborted();
  const exitCode = await runCommandHere(command, site.environmentOf('grace'));
  if (exitCode === 130) throw new DOMException('Stopped with Ctrl-C.', 'AbortError');
}

/** Says what has come of the refund; gives its run. */
async function tellOutcome(stage: Stage, site: Site, { id, runId }: HoldView): Promise<RunView> {
  const { hold } = await site.as('grace').hold(id);
  if (hold.state === 'open') {
    stage.fact('It waits on. Nothing happens until somebody answers.');
    return site.as('grace').run(runId);
  }
  const run = await site.until(runId, 'finished');
  const told = run.state === 'finished' ? `“${String(run.output)}”` : `it is ${run.state}`;
  stage.fact(`The desk has gone on with the run: ${told}`);
  stage.outcome(`in the books: ${site.books.lines().join(', ') || 'nothing'}`);
  return run;
}

/** Two have to agree to the transfer, so whoever plays needs to be somebody else as well. */
async function inviteEdsger(stage: Stage, site: Site): Promise<void> {
  stage.link(
    'The transfer needs two. To be Edsger as well, in a private window:',
    await site.linkFor('edsger'),
  );
}

/** Somebody comes too late; the audit is whole; then somebody writes another name into it. */
async function afterwards(stage: Stage, site: Site, { id, runId }: HoldView): Promise<void> {
  const late = ['deny', shortId(id), '--yes'];
  const verify = ['audit', 'verify', shortId(runId)];
  stage.fact('Mallory comes later, and wants something else:');
  stage.command(late);
  // Neither changes anything, so they need not wait for each other.
  const [denied, whole] = await Promise.all([site.run(late, 'mallory'), site.run(verify, 'grace')]);
  stage.output(denied);
  stage.command(verify);
  stage.output(withoutBlindSpots(whole));

  giveCreditTo('mallory', runId, site);
  stage.fact('Somebody writes “mallory” over the name of who answered, in the database:');
  stage.command(verify);
  const forged = await site.run(verify, 'grace');
  stage.output(withoutBlindSpots(forged));
  const isFound = whole.startsWith('Intact') && forged.startsWith('Damaged');
  stage.outcome(isFound ? 'it is found' : 'it is not found', isFound);
}

/** What an audit cannot show is for those who have time to read it. */
function withoutBlindSpots(printed: string): string {
  return printed.replace(/\nWhat (?:this|else)[^]*/, '');
}

/** Does what the desk would not: changes who has answered. */
function giveCreditTo(name: string, runId: string, site: Site): void {
  const database = new DatabaseSync(site.file);
  try {
    const update = `update desk_audit set "by" = ? where kind = 'hold-answered' and run_id = ?`;
    database.prepare(update).run(JSON.stringify({ id: name }), runId);
  } finally {
    database.close();
  }
}
