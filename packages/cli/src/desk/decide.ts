import { S_INFO } from '@clack/prompts';
import {
  type AnswerBody,
  type CheckedEditView,
  type DeskClient,
  DeskClientError,
  type HoldView,
} from '@holdpoint/desk/client';
import { type JsonObject, UserError } from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';
import { Prompter } from '../terminal/prompter.ts';
import { Screen } from '../terminal/screen.ts';
import type { TerminalStreams } from '../terminal/terminal-streams.ts';
import { warningsOf } from '../terminal/warnings.ts';
import { describeEdit, showDescribedEdit } from './describe-edit.ts';
import { findHold, shortId } from './find-id.ts';
import { holdAsCall } from './hold-as-call.ts';
import { personText } from './person-text.ts';
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
  const answer = agreeIfEqual(hold, decision.answer);
  requireFitting(hold, answer);
  const body: AnswerBody = { digest: hold.digest, answer };
  if (decision.isJson) {
    printJson(await client.answer(hold.id, body));
    return 0;
  }
  // There is nothing to decide any more: the desk says why.
  if (hold.state !== 'open') await client.answer(hold.id, body);
  const edit = answer.kind === 'edit' ? await describeEdit(client, hold, answer.args) : undefined;
  const screen = new Screen(process.stdout);
  const meant = await isMeant(client, { hold, answer, edit }, decision.confirmAt, screen);
  if (meant === 'changed') {
    screen.close({ text: await whatChanged(client, hold), style: 'yellow' });
    return 1;
  }
  if (meant !== 'yes') {
    screen.close({ text: 'Nothing was decided.', style: 'yellow' });
    return meant === 'quit' ? 130 : 1;
  }
  try {
    const shown = edit?.shown;
    await client.answer(hold.id, { ...body, ...(shown !== undefined && { shown }) });
  } catch (error) {
    if (error instanceof DeskClientError) screen.close({ text: 'It was refused.', style: 'red' });
    throw error;
  }
  screen.close({ text: await whatNow(client, hold, answer), style: 'green' });
  return 0;
}

/**
 * Turns a result that equals the proposed one into an approval of it: two approvers who record the same
 * result agree. A proposal that is not shown whole cannot be compared.
 */
function agreeIfEqual({ proposed, redacted }: HoldView, answer: Answer): Answer {
  if (proposed === undefined || redacted) return answer;
  // An answer is JSON; its type does not say so.
  const isEqual = canonicalJson(proposed.answer) === canonicalJson(answer as unknown as JsonObject);
  return isEqual ? { kind: 'approve' } : answer;
}

/** Names the right command before the approver is asked. The desk would reject the answer, too. */
function requireFitting(hold: HoldView, answer: Answer): void {
  const { kind, toolName, inDoubt, proposed } = hold;
  const isApproval = ['approve', 'edit', 'deny'].includes(answer.kind);
  if (inDoubt !== undefined || isApproval === (kind === 'approval')) return;
  if (answer.kind === 'approve' && proposed !== undefined) return;
  throw new UserError(
    isApproval
      ? `\`${toolName}\` is executed outside of the desk and needs a result. Use \`holdpoint answer\`.`
      : `\`${toolName}\` needs a decision. Use \`holdpoint approve\` or \`holdpoint deny\`.`,
  );
}

/** A decision as it is shown before it is confirmed. */
interface Proposed {
  readonly hold: HoldView;
  readonly answer: Answer;
  /** The description of the edit, if it is one. */
  readonly edit: CheckedEditView | undefined;
}

async function isMeant(
  client: DeskClient,
  { hold, answer, edit }: Proposed,
  confirmAt: TerminalStreams | undefined,
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
  screen.block([
    ...showHold(hold, run, Date.now()),
    ...showAnswer(answer, hold),
    ...(edit && answer.kind === 'edit' ? showDescribedEdit(edit, answer.args) : []),
  ]);
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
  const by = personText(last.by);
  return `${by} has answered it meanwhile, with '${last.answer.kind}'. Nothing was decided here.`;
}

/** What has come of it, as the desk has written it down. */
async function whatNow(client: DeskClient, hold: HoldView, answer: Answer): Promise<string> {
  const { answers, hold: now } = await client.hold(hold.id);
  const { state, openHolds } = await client.run(hold.runId);
  const by = answers.at(-1)?.by;
  const done = `${wordsFor(answer, hold).done}${by === undefined ? '' : `, by ${personText(by)}`}.`;
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
