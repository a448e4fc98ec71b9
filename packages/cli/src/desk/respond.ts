import type { Decision } from '@holdpoint/desk';
import type { DeskClient, HoldView } from '@holdpoint/desk/client';
import { type JsonValue, ToolDenied, ToolInput, UserError } from 'holdpoint';
import { UsageError } from '../errors.ts';
import { askQuestion } from '../terminal/ask-question.ts';
import { readResult } from '../terminal/json-text.ts';
import { Prompter, type TerminalStreams } from '../terminal/prompter.ts';
import { Screen } from '../terminal/screen.ts';
import { decide, describeOutcome, type TypedDecision } from './decide.ts';
import { findHold, shortId } from './find-id.ts';
import { holdAsCall, showHold } from './holds.ts';

/** Responds to a question with a value from the command line; returns the exit code. */
export async function respondWith(
  client: DeskClient,
  { text, ...typed }: Omit<TypedDecision, 'decision' | 'grant'> & { readonly text: string },
): Promise<number> {
  const { hold } = await client.hold(await findHold(client, typed.holdId));
  const value = inputOf(hold, text);
  return decide(client, { ...typed, holdId: hold.id, decision: { kind: 'input', value } });
}

/**
 * Returns the input in a typed text. It is JSON, or the text itself if the question expects a text.
 */
function inputOf({ question }: HoldView, text: string): JsonValue {
  const read = readResult(text);
  if (question?.schema?.['type'] === 'string') {
    return read.ok && typeof read.value === 'string' ? read.value : text;
  }
  if (read.ok) return read.value;
  throw new UsageError(`Invalid argument [value]: ${read.problem}`);
}

/** Shows a question with a form for its input, and sends the response; returns the exit code. */
export async function respondInForm(
  client: DeskClient,
  { holdId, onBehalfOf }: Pick<TypedDecision, 'holdId' | 'onBehalfOf'>,
  terminal: TerminalStreams,
): Promise<number> {
  const { hold } = await client.hold(await findHold(client, holdId));
  if (hold.kind !== 'question') {
    throw new UserError(
      `\`${hold.toolName}\` has no question. Run \`holdpoint hold ${shortId(hold.id)}\`.`,
    );
  }
  if (hold.state !== 'open') throw new UserError(`Hold \`${shortId(hold.id)}\` is ${hold.state}.`);
  const screen = new Screen(terminal.output);
  screen.open(`Respond · hold ${shortId(hold.id)}`);
  screen.block(showHold(hold, await client.run(hold.runId), Date.now()));
  const prompter = new Prompter(terminal, screen, new AbortController().signal);
  await prompter.discardTyped();
  const decision = await decisionInForm(prompter, screen, hold);
  if (decision === undefined) {
    screen.close({ text: 'Nothing was decided.', style: 'yellow' });
    return 130;
  }
  await client.decide(hold.id, { digest: hold.digest, decision, onBehalfOf });
  screen.close({ text: await describeOutcome(client, hold, decision), style: 'green' });
  return 0;
}

/** The message of a denial without a reason. */
const NO_REASON = new ToolDenied().message;

async function decisionInForm(
  prompter: Prompter,
  screen: Screen,
  hold: HoldView,
): Promise<Decision | undefined> {
  try {
    const { decision } = await askQuestion(
      { prompter, screen },
      holdAsCall(hold),
      'decide nothing',
    );
    if (decision instanceof ToolInput) return { kind: 'input', value: decision.value };
    const reason = decision instanceof ToolDenied ? decision.message : NO_REASON;
    return { kind: 'deny', ...(reason !== NO_REASON && { reason }) };
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return undefined;
    throw error;
  }
}
