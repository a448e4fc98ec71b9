import { S_INFO } from '@clack/prompts';
import { type DeskClient, DeskClientError, type HoldView } from '@holdpoint/desk/client';
import { UserError } from 'holdpoint';
import { Prompter } from '../terminal/prompter.ts';
import { Screen } from '../terminal/screen.ts';
import type { TerminalStreams } from '../terminal/terminal-streams.ts';
import { warningsOf } from '../terminal/warnings.ts';
import { findHold, shortId } from './find-id.ts';
import { holdAsCall } from './hold-as-call.ts';
import { printJson } from './print.ts';
import { type Answer, showAnswer, wordsFor } from './say-answer.ts';
import { showHold } from './show-hold.ts';
import { HoldWatch } from './watch-hold.ts';

/** An answer that somebody wants to give. */
export interface Decision {
  /** The id of the hold, or its beginning. */
  readonly holdId: string;
  readonly answer: Answer;
  /** Where to ask whether it is meant; `undefined` if that was said already. */
  readonly confirmAt: TerminalStreams | undefined;
  readonly isJson: boolean;
}

/** Shows what will be decided, asks whether it is meant, and answers the hold; gives the exit code. */
export async function decide(client: DeskClient, decision: Decision): Promise<number> {
  const { hold } = await client.hold(await findHold(client, decision.holdId));
  requireFitting(hold, decision.answer);
  const body = { digest: hold.digest, answer: decision.answer };
  if (decision.isJson) {
    printJson(await client.answer(hold.id, body));
    return 0;
  }
  // There is nothing to decide any more: the desk says why.
  if (hold.state !== 'open') await client.answer(hold.id, body);
  const screen = new Screen(process.stdout);
  const meant = await isMeant(client, hold, decision, screen);
  if (meant === 'changed') {
    screen.close({ text: await whatChanged(client, hold), style: 'yellow' });
    return 1;
  }
  if (meant !== 'yes') {
    screen.close({ text: 'Nothing was decided.', style: 'yellow' });
    return meant === 'quit' ? 130 : 1;
  }
  try {
    await client.answer(hold.id, body);
  } catch (error) {
    if (error instanceof DeskClientError) screen.close({ text: 'It was refused.', style: 'red' });
    throw error;
  }
  screen.close({ text: await whatNow(client, hold, decision.answer), style: 'green' });
  return 0;
}

/** Says which command it takes, before anybody is asked. The desk would refuse it, too. */
function requireFitting({ kind, toolName, inDoubt }: HoldView, answer: Answer): void {
  const isApproval = ['approve', 'edit', 'deny'].includes(answer.kind);
  if (inDoubt !== undefined || isApproval === (kind === 'approval')) return;
  throw new UserError(
    isApproval
      ? `${toolName} does not run here and waits for its result. Give it with holdpoint answer.`
      : `${toolName} waits for a yes or a no. Say it with holdpoint approve or holdpoint deny.`,
  );
}

async function isMeant(
  client: DeskClient,
  hold: HoldView,
  { answer, confirmAt }: Decision,
  screen: Screen,
): Promise<'yes' | 'no' | 'quit' | 'changed'> {
  const { title, question } = wordsFor(answer, hold);
  screen.open(`${title} · hold ${shortId(hold.id)}`);
  const wanted = hold.kind === 'approval' ? 'needs approval' : 'needs a result';
  screen.head(S_INFO, 'blue', {
    label: { text: hold.toolName, style: 'bold' },
    text: `  ${wanted}`,
    style: 'dim',
  });
  const run = await client.run(hold.runId);
  screen.block([...showHold(hold, run, Date.now()), ...showAnswer(answer, hold)]);
  if (confirmAt === undefined) return 'yes';
  // Where there is something to be careful about, yes is not what the next key says.
  const isCareful = answer.kind !== 'deny' && warningsOf(holdAsCall(hold)).length > 0;
  using watch = new HoldWatch(client, hold);
  try {
    const prompter = new Prompter(confirmAt, screen, watch.changed);
    return await ask(prompter, question, isCareful ? 'no' : 'yes');
  } catch (error) {
    if (watch.changed.aborted) return 'changed';
    if (error instanceof Error && error.name === 'AbortError') return 'quit';
    throw error;
  }
}

async function ask(
  prompter: Prompter,
  question: string,
  initial: 'yes' | 'no',
): Promise<'yes' | 'no'> {
  await prompter.discardTyped();
  const choices = [
    { value: 'yes', label: 'Yes' },
    { value: 'no', label: 'No, decide nothing' },
  ] as const;
  return (await prompter.choose(question, choices, initial)) === 'yes' ? 'yes' : 'no';
}

/** Why somebody is no longer asked; nothing was sent for them. */
async function whatChanged(client: DeskClient, { id }: HoldView): Promise<string> {
  const { hold, answers } = await client.hold(id);
  const last = answers.at(-1);
  if (hold.state === 'open')
    return 'It was changed meanwhile. Look at it again; nothing was decided.';
  if (hold.outcome !== 'decided' || last === undefined) {
    return `It is ${hold.outcome ?? 'settled'} meanwhile. Nothing was decided here.`;
  }
  const by = last.by.name ?? last.by.id;
  return `${by} has answered it meanwhile, with '${last.answer.kind}'. Nothing was decided here.`;
}

/** What has come of it, as the desk has written it down. */
async function whatNow(client: DeskClient, hold: HoldView, answer: Answer): Promise<string> {
  const { answers, hold: now } = await client.hold(hold.id);
  const { state, openHolds } = await client.run(hold.runId);
  const by = answers.at(-1)?.by;
  const done = `${wordsFor(answer, hold).done}${by === undefined ? '' : `, by ${by.name ?? by.id}`}.`;
  if (now.state === 'open') {
    const { votes, approvers } = now;
    const counting = votes.filter((vote) => vote.counts).length;
    return `${done} That makes ${counting} of ${approvers?.count ?? 1} votes: others have to agree, too.`;
  }
  if (openHolds > 0) {
    return `${done} ${openHolds === 1 ? 'Another call' : `${openHolds} other calls`} of the run must be answered, too.`;
  }
  if (state === 'running') return `${done} The run goes on.`;
  return `${done} The run is ${state}${state === 'ready' ? ': a worker goes on with it' : ''}.`;
}
