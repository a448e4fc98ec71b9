import { S_INFO } from '@clack/prompts';
import type { Decision } from '@holdpoint/desk';
import {
  DeskClientError,
  type DecisionBody,
  type DeskClient,
  type EditPreviewView,
  type GrantRequest,
  type HoldView,
} from '@holdpoint/desk/client';
import { type JsonObject, UserError } from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';
import { heading, showChange } from '../terminal/calls.ts';
import type { Line } from '../terminal/lines.ts';
import { warningsOf } from '../terminal/pending-call.ts';
import { Prompter, type TerminalStreams } from '../terminal/prompter.ts';
import { Screen } from '../terminal/screen.ts';
import { showFields, showValue } from '../terminal/values.ts';
import { findHold, shortId } from './find-id.ts';
import { personText, printJson } from './format.ts';
import { holdAsCall, showDescribedEdit, showHold } from './holds.ts';
import { showRequestedChanges } from './requested-changes.ts';

/** A decision that was typed on the command line. */
export interface TypedDecision {
  /** The id of the hold or its first characters. */
  readonly holdId: string;
  readonly decision: Decision;
  readonly grant?: GrantRequest | undefined;
  /** The id of the person who delegated the decision. */
  readonly onBehalfOf?: string | undefined;
  /** The terminal that asks for confirmation; `undefined` with `--yes`. */
  readonly confirmAt: TerminalStreams | undefined;
  readonly isJson: boolean;
}

/** Shows the call, asks for confirmation and sends the decision; returns the exit code. */
export async function decide(client: DeskClient, typed: TypedDecision): Promise<number> {
  const { hold } = await client.hold(await findHold(client, typed.holdId));
  const decision = agreeIfEqual(hold, typed.decision);
  requireMatchingKind(hold, decision);
  const { grant, onBehalfOf } = typed;
  const request: DecisionBody = { digest: hold.digest, decision, grant, onBehalfOf };
  if (typed.isJson) {
    printJson(await client.decide(hold.id, request));
    return 0;
  }
  // The desk rejects the decision with the reason.
  if (hold.state !== 'open') await client.decide(hold.id, request);
  const edit = await previewEdit(client, hold, decision);
  const screen = new Screen(process.stdout);
  const choice = await confirm(client, { hold, decision, edit }, typed.confirmAt, screen);
  if (choice === 'changed') {
    screen.close({ text: await describeChange(client, hold), style: 'yellow' });
    return 1;
  }
  if (choice !== 'yes') {
    screen.close({ text: 'Nothing was decided.', style: 'yellow' });
    return choice === 'quit' ? 130 : 1;
  }
  try {
    await client.decide(hold.id, { ...request, shown: edit?.shown });
  } catch (error) {
    if (error instanceof DeskClientError) {
      screen.close({ text: 'The desk rejected the decision.', style: 'red' });
    }
    throw error;
  }
  screen.close({ text: await describeOutcome(client, hold, decision), style: 'green' });
  return 0;
}

/**
 * Turns a result that equals the proposed one into an approval of it: two approvers who record the same
 * result agree. A redacted proposal cannot be compared.
 */
function agreeIfEqual(hold: HoldView, decision: Decision): Decision {
  const proposed = hold.proposed?.decision;
  if (proposed === undefined || hold.redacted) return decision;
  if (decision.kind === 'approve' || decision.kind === 'deny') return decision;
  // About an approval it closes the hold, and agrees to nothing.
  if (decision.kind === 'retry' && hold.kind === 'approval') return decision;
  // A decision is JSON, which its type does not express.
  const isEqual = canonicalJson(proposed) === canonicalJson(decision as unknown as JsonObject);
  return isEqual ? { kind: 'approve' } : decision;
}

/** Throws if the call needs another kind of decision, and names the command for it. */
function requireMatchingKind(hold: HoldView, decision: Decision): void {
  const { kind, toolName, inDoubt, proposed } = hold;
  if (kind === 'question') return requireResponse(hold, decision);
  if (decision.kind === 'input') {
    throw new UserError(
      `\`${toolName}\` has no question. Use ${kind === 'approval' ? '`holdpoint approve`, `holdpoint edit` or `holdpoint deny`' : '`holdpoint result`'}.`,
    );
  }
  // Every call but a question accepts a request for changes.
  if (decision.kind === 'retry') return;
  const isApproval = decision.kind === 'approve' || decision.kind === 'deny';
  if (inDoubt !== undefined || isApproval === (kind === 'approval')) return;
  if (decision.kind === 'approve' && decision.args === undefined && proposed !== undefined) return;
  throw new UserError(
    isApproval
      ? `\`${toolName}\` is executed outside of the desk and needs a result. Use \`holdpoint result\`, \`holdpoint fail\` or \`holdpoint request-changes\`.`
      : `\`${toolName}\` needs a decision. Use \`holdpoint approve\`, \`holdpoint edit\`, \`holdpoint deny\` or \`holdpoint request-changes\`.`,
  );
}

/** Throws if a decision does not apply to a question. */
function requireResponse({ toolName, proposed }: HoldView, decision: Decision): void {
  if (decision.kind === 'input' || decision.kind === 'deny') return;
  const isAgreement = decision.kind === 'approve' && decision.args === undefined;
  if (isAgreement && proposed !== undefined) return;
  throw new UserError(
    `\`${toolName}\` has a question. Use \`holdpoint respond\`, or \`holdpoint deny\` to decline.`,
  );
}

/** Returns the desk's preview of an edit; throws if the edited arguments are invalid. */
async function previewEdit(
  client: DeskClient,
  { id }: HoldView,
  decision: Decision,
): Promise<EditPreviewView | undefined> {
  if (decision.kind !== 'approve' || decision.args === undefined) return undefined;
  const preview = await client.previewEdit(id, { args: decision.args });
  if (preview.problems.length === 0) return preview;
  const problems = preview.problems.map(({ path, message }) =>
    [path, message.replace(/\.$/, '')].filter(Boolean).join(': '),
  );
  throw new UserError(
    `The edited arguments do not match the schema of the tool: ${problems.join('; ')}. Nothing was decided.`,
  );
}

/** A decision in the form that is shown before the confirmation. */
interface ShownDecision {
  readonly hold: HoldView;
  readonly decision: Decision;
  readonly edit: EditPreviewView | undefined;
}

const NEEDS: Readonly<Record<HoldView['kind'], string>> = {
  approval: 'needs approval',
  question: 'has a question',
  external: 'needs a result',
};

async function confirm(
  client: DeskClient,
  { hold, decision, edit }: ShownDecision,
  confirmAt: TerminalStreams | undefined,
  screen: Screen,
): Promise<'yes' | 'no' | 'quit' | 'changed'> {
  const { title, question } = textsFor(decision, hold);
  screen.open(`${title} · hold ${shortId(hold.id)}`);
  screen.head(S_INFO, 'blue', {
    label: { text: hold.title, style: 'bold' },
    text: `  ${hold.toolName}, ${NEEDS[hold.kind]}`,
    style: 'dim',
  });
  const run = await client.run(hold.runId);
  screen.block([
    ...showHold(hold, run, Date.now()),
    ...(await showRequestedChanges(client, hold.id)),
    ...showDecision(decision, hold),
    ...(edit && decision.kind === 'approve' ? showEdit(edit, decision.args ?? {}) : []),
  ]);
  if (confirmAt === undefined) return 'yes';
  // After a warning, a hasty Enter must not approve.
  const executes = decision.kind !== 'deny' && decision.kind !== 'retry';
  const hasWarning = executes && warningsOf(holdAsCall(hold)).length > 0;
  using watch = new HoldWatch(client, hold);
  try {
    const prompter = new Prompter(confirmAt, screen, watch.changed);
    return await ask(prompter, question, hasWarning ? 'no' : 'yes');
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

const WATCH_MS = 1_000;

/** Polls a hold while the approver confirms; dispose of it at the end. */
class HoldWatch implements Disposable {
  readonly #changed = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(client: DeskClient, shown: HoldView) {
    this.#timer = setInterval(() => void this.#poll(client, shown), WATCH_MS);
  }

  /** Aborts when the hold differs from the one that was shown. */
  get changed(): AbortSignal {
    return this.#changed.signal;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #poll(client: DeskClient, shown: HoldView): Promise<void> {
    try {
      const { hold } = await client.hold(shown.id);
      if (hold.state !== 'open' || hold.digest !== shown.digest) this.#changed.abort();
    } catch {
      // Sending the decision reports an unreachable desk.
    }
  }
}

/** The texts around a decision. */
interface DecisionTexts {
  readonly title: string;
  readonly question: string;
  readonly done: string;
}

function textsFor(decision: Decision, hold: HoldView): DecisionTexts {
  const { toolName, inDoubt, proposed, question } = hold;
  const proposal = question === undefined ? 'result' : 'response';
  switch (decision.kind) {
    case 'approve':
      if (proposed !== undefined && decision.args === undefined) {
        return {
          title: `Approve the proposed ${proposal}`,
          question: `Approve the ${proposal} of ${toolName} that ${personText(proposed.by)} proposed?`,
          done: `The ${proposal} was approved`,
        };
      }
      return approvalTexts(toolName, inDoubt !== undefined, decision.args !== undefined);
    case 'deny':
      return question === undefined
        ? { title: 'Deny', question: `Deny ${toolName}?`, done: 'Denied' }
        : {
            title: 'Decline',
            question: `Decline the question of ${toolName}?`,
            done: 'The question was declined',
          };
    case 'input':
      return {
        title: 'Respond',
        question: `Send this response to ${toolName}?`,
        done: 'The response was recorded',
      };
    case 'result':
      return {
        title: 'Record the result',
        question: `Record this as the result of ${toolName}?`,
        done: 'The result was recorded',
      };
    case 'fail':
      return {
        title: 'Record a failure',
        question: `Record that ${toolName} failed?`,
        done: 'The failure was recorded',
      };
    case 'retry':
      return {
        title: 'Request changes',
        question: `Request changes of ${toolName} from the model?`,
        done: 'Changes were requested',
      };
  }
}

function approvalTexts(toolName: string, isInDoubt: boolean, isEdit: boolean): DecisionTexts {
  const again = isInDoubt ? ' Execute it again?' : '';
  return isEdit
    ? {
        title: 'Approve with edited arguments',
        question: `Approve ${toolName} with these arguments?${again}`,
        done: 'Approved with edited arguments',
      }
    : { title: 'Approve', question: `Approve ${toolName}?${again}`, done: 'Approved' };
}

function showDecision(decision: Decision, hold: HoldView): readonly Line[] {
  switch (decision.kind) {
    case 'approve':
      return [
        ...(decision.reason === undefined ? [] : showFields({ reason: decision.reason })),
        ...(decision.args === undefined
          ? []
          : [heading('Edited arguments'), ...showChange(holdAsCall(hold).args, decision.args)]),
      ];
    case 'deny':
      return showFields({ reason: decision.reason ?? 'none' });
    case 'input':
      return [heading('Response'), ...showValue(decision.value)];
    case 'result':
      return [heading('Result'), ...showValue(decision.value)];
    case 'fail':
      return showFields({ failure: decision.message });
    case 'retry':
      return showFields({ 'message to the model': decision.message });
  }
}

/** Shows the validated arguments, the preview and the requirement of an edit. */
function showEdit(
  { args: validatedArgs, preview, requirement }: EditPreviewView,
  args: JsonObject,
): readonly Line[] {
  return [
    ...showDescribedEdit({ args, validatedArgs, preview }),
    ...(requirement === undefined ? [] : [requirementLine(requirement)]),
  ];
}

function requirementLine({
  count = 1,
  roles = [],
  notRequester = false,
}: NonNullable<EditPreviewView['requirement']>): Line {
  const who = roles.length === 0 ? '' : ` in the role ${roles.join(' or ')}`;
  const text = `Approvals required: ${count}${who}${notRequester ? ', not by the requester' : ''}`;
  return { text, style: 'dim' };
}

/** Describes why the confirmation closed. */
async function describeChange(client: DeskClient, { id }: HoldView): Promise<string> {
  const { hold, decisions } = await client.hold(id);
  const last = decisions.at(-1);
  if (hold.state === 'open') return 'The hold changed. Review it again. Nothing was decided.';
  if (hold.outcome !== 'decided' || last === undefined) {
    return `The hold is ${hold.outcome ?? 'settled'} now. Your decision was not sent.`;
  }
  return `${personText(last.by)} decided first: ${last.decision.kind}. Your decision was not sent.`;
}

/** Describes the recorded decision and the state of the run. */
export async function describeOutcome(
  client: DeskClient,
  shown: HoldView,
  decision: Decision,
): Promise<string> {
  const { hold, decisions } = await client.hold(shown.id);
  const { state, openHolds } = await client.run(shown.runId);
  const by = decisions.at(-1)?.by;
  const done = `${textsFor(decision, shown).done}${by === undefined ? '' : ` by ${personText(by)}`}.`;
  if (hold.state === 'open') {
    const counted = hold.votes.filter((vote) => vote.counts).length;
    return `${done} ${counted} of ${hold.approvers?.count ?? 1} approvals: other approvers have to agree.`;
  }
  if (openHolds > 0) {
    return `${done} The run has ${openHolds} more open ${openHolds === 1 ? 'hold' : 'holds'}.`;
  }
  if (state !== 'ready') return `${done} The run is ${state}.`;
  return hold.agent.startsWith('outside:')
    ? `${done} The program that requested the call can execute it.`
    : `${done} The run is ready and resumes when a worker claims it.`;
}
