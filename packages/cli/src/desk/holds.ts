import type { Decision } from '@holdpoint/desk';
import type { DeskClient, HoldListQuery, HoldView, RunSummary } from '@holdpoint/desk/client';
import { type JsonObject, type JsonValue } from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';
import {
  briefArgs,
  heading,
  oneLine,
  pathText,
  showChange,
  showEverything,
} from '../terminal/calls.ts';
import type { Line } from '../terminal/lines.ts';
import { type PendingCall, warningsOf } from '../terminal/pending-call.ts';
import { Screen } from '../terminal/screen.ts';
import { isObject, showFields, showPreview, showValue } from '../terminal/values.ts';
import { visible } from '../terminal/visible.ts';
import { findHold, findRun, shortId, shortLength } from './find-id.ts';
import {
  type Column,
  duration,
  type ListRow,
  type Person,
  personText,
  printJson,
  showColumns,
  timeOf,
} from './format.ts';
import { showRequestedChanges } from './requested-changes.ts';

/** Prints a page of holds. */
export async function listHolds(
  client: DeskClient,
  { runId, ...query }: HoldListQuery,
  isJson: boolean,
): Promise<void> {
  const ofRun = runId === undefined ? {} : { runId: await findRun(client, runId) };
  const page = await client.holds({ ...query, ...ofRun });
  if (isJson) return printJson(page);
  const screen = new Screen(process.stdout);
  if (page.items.length === 0) {
    const isFiltered = Object.values({ runId, ...query }).some((value) => value !== undefined);
    const text = isFiltered ? 'No holds match.' : 'No open holds.';
    return screen.plain({ text, style: 'dim' });
  }
  screen.plain(...showHolds(page.items, { now: Date.now(), room: screen.columns }));
  screen.more(page.next, 'holds');
}

/** Prints one hold with its decisions. */
export async function showOneHold(
  client: DeskClient,
  typed: string,
  isJson: boolean,
): Promise<void> {
  const id = await findHold(client, typed);
  if (isJson) return printJson(await client.hold(id));
  const { hold, decisions } = await client.hold(id);
  const { items: comments } = await client.comments(id);
  const screen = new Screen(process.stdout);
  const run = await client.run(hold.runId);
  screen.plain(
    {
      label: { text: hold.title, style: 'bold' },
      text: `  ${hold.toolName}, ${hold.outcome ?? hold.state}, hold ${hold.id}`,
      style: 'dim',
    },
    ...showHold(hold, run, Date.now()),
    ...(await showRequestedChanges(client, id)),
    ...decisions.map(({ by, decision, at }) => ({
      text: decisionText(decision, by, at),
      label: { text: 'decision  ', style: 'cyan' as const },
    })),
    ...comments.map(({ by, text, at }) => ({
      text: `${personText(by)}, ${at}: ${oneLine(text)}`,
      label: { text: 'comment   ', style: 'cyan' as const },
    })),
  );
  if (hold.state === 'open') screen.plain({ text: '' }, { text: nextCommands(hold), style: 'dim' });
}

function decisionText(decision: Decision, by: Person, at: string): string {
  const text = 'message' in decision ? decision.message : reasonOf(decision);
  return `${decision.kind}, by ${personText(by)}, ${at}${text ? `: ${oneLine(text)}` : ''}`;
}

function reasonOf(decision: Decision): string | undefined {
  return 'reason' in decision ? decision.reason : undefined;
}

function nextCommands({ id, kind, inDoubt, proposed }: HoldView): string {
  const short = visible(shortId(id));
  const record = `holdpoint result ${short} …`;
  if (inDoubt !== undefined) return `${record}, or holdpoint approve ${short} to execute it again`;
  if (kind === 'question') {
    const respond = `holdpoint respond ${short} …`;
    return proposed === undefined
      ? `${respond}, or holdpoint deny ${short} --reason …`
      : `holdpoint approve ${short} to agree, or ${respond}`;
  }
  if (kind === 'approval') {
    return `holdpoint approve ${short}, holdpoint deny ${short} --reason …, or holdpoint request-changes ${short} …`;
  }
  return proposed === undefined ? record : `holdpoint approve ${short} to agree, or ${record}`;
}

/** Returns the call of a hold in the form that the terminal handler shows. */
export function holdAsCall(hold: HoldView): PendingCall {
  const { id, kind, toolName, title, path, args, validatedArgs, metadata } = hold;
  const { preview, digest, inDoubt, drifted, deniedBefore, question } = hold;
  return {
    id,
    kind,
    toolName,
    title,
    path: path.map((agent) => agent.toolName),
    // Arguments that are not JSON are a text, which an edit cannot start from.
    args: isObject(args) ? args : {},
    sent: undefined,
    validatedArgs: validatedArgs ?? args,
    details: {
      preview,
      digest,
      inDoubt: inDoubt && { ...inDoubt, since: timeOf(inDoubt.since) },
      drifted,
      deniedBefore,
      question: question && { message: question.message, schema: question.schema ?? {} },
    },
    metadata,
  };
}

/** Shows a hold completely: the call with preview and arguments, the requester, votes and the digest. */
export function showHold(hold: HoldView, run: RunSummary, now: number): readonly Line[] {
  return [
    ...(hold.question ? showFields({ question: hold.question.message }) : []),
    ...showEverything(holdAsCall(hold)),
    ...(hold.redacted
      ? [{ text: 'Parts of this call are hidden from you.', style: 'yellow' } as const]
      : []),
    ...showProposal(hold),
    { text: '' },
    ...showFields({
      run: `${shortId(hold.runId)} of ${hold.agent}`,
      ...(run.requester && { 'requested by': personText(run.requester) }),
      requested: `${duration(now - timeOf(hold.createdAt))} ago`,
      ...expiryField(hold, now),
      ...approverFields(hold),
      ...(hold.inDoubt?.idempotencyKey && { 'idempotency key': hold.inDoubt.idempotencyKey }),
    }),
    // On its own line, the digest fits into 80 columns.
    ...showFields({ digest: hold.digest }),
  ];
}

function expiryField({ state, expiresAt }: HoldView, now: number): JsonObject {
  if (state !== 'open' || expiresAt === undefined) return {};
  return { 'expires in': duration(timeOf(expiresAt) - now) };
}

/** Shows an edit, a result or a grant that an approval would agree to. */
function showProposal(hold: HoldView): readonly Line[] {
  const { args, edit, proposed, grant } = hold;
  return [
    ...(edit
      ? [
          proposedBy('edited arguments', edit.by),
          ...changed(args, edit.args),
          ...showDescribedEdit(edit),
        ]
      : []),
    ...(proposed
      ? [
          proposedBy(hold.kind === 'question' ? 'a response' : 'a result', proposed.by),
          ...showFields(proposed.decision),
        ]
      : []),
    ...(grant
      ? [
          { text: 'An approval also approves later calls:', style: 'yellow' } as const,
          ...showFields(grantFields(grant)),
        ]
      : []),
  ];
}

/** Shows the tool's description of an edit: the arguments that it will receive, and the preview. */
export function showDescribedEdit({
  args,
  validatedArgs = args,
  preview,
}: Pick<NonNullable<HoldView['edit']>, 'args' | 'validatedArgs' | 'preview'>): readonly Line[] {
  const isOther = canonicalJson(validatedArgs) !== canonicalJson(args);
  return [
    ...(isOther ? [heading('Arguments the tool will receive'), ...showValue(validatedArgs)] : []),
    ...(preview === undefined ? [] : [heading('Preview of the edit'), ...showPreview(preview)]),
  ];
}

function proposedBy(proposal: string, by: Person): Line {
  const text = `${personText(by)} proposed ${proposal}. An approval agrees to this:`;
  return { text, style: 'yellow' };
}

function changed(args: JsonValue, edited: JsonValue): readonly Line[] {
  return isObject(args) && isObject(edited) ? showChange(args, edited) : showValue(edited);
}

function grantFields({
  match,
  scope = 'conversation',
  expiresAfter,
  uses,
}: NonNullable<HoldView['grant']>): JsonObject {
  return {
    calls: typeof match === 'string' ? match : match.args,
    scope,
    ...(expiresAfter !== undefined && { for: duration(expiresAfter) }),
    ...(uses !== undefined && { uses }),
  };
}

function approverFields({ approvers, votes, escalation = [], state }: HoldView): JsonObject {
  const { roles, people, count = 1, notRequester = false } = approvers ?? {};
  const counted = votes.filter((vote) => vote.counts).map(({ by }) => personText(by));
  const names = counted.length === 0 ? '' : `: ${counted.join(', ')}`;
  const later = escalation.filter(({ isReached }) => state === 'open' && !isReached);
  return {
    ...(roles && { roles: roles.join(', ') }),
    ...(people && { people: people.join(', ') }),
    ...(count > 1 && { approvals: `${counted.length} of ${count}${names}` }),
    ...(notRequester && { 'not by': 'the requester' }),
    ...(later.length > 0 && { escalation: later.map(stepText).join('; ') }),
  };
}

function stepText({ at, roles = [], people = [] }: EscalationView): string {
  return `also ${[...roles, ...people].join(', ')} in ${duration(Math.max(0, timeOf(at) - Date.now()))}`;
}

type EscalationView = NonNullable<HoldView['escalation']>[number];

/** A terminal of this width also has room for the requester of each hold. */
const WIDE = 100;

/** Returns the call that an approval would execute, on one line: its preview, or the tool and the arguments. */
function summaryOf(hold: HoldView): string {
  const { title, edit, question } = hold;
  if (question !== undefined) return [title, oneLine(question.message)].join(': ');
  const preview = edit === undefined ? hold.preview : edit.preview;
  if (typeof preview === 'string' && preview.trim() !== '') return oneLine(preview);
  const call =
    edit === undefined ? holdAsCall(hold) : { validatedArgs: edit.validatedArgs ?? edit.args };
  return [title, briefArgs(call)].filter(Boolean).join(': ');
}

/** Formats holds, one line each. */
export function showHolds(
  holds: readonly HoldView[],
  { now, room }: { readonly now: number; readonly room: number },
): readonly Line[] {
  const length = shortLength(holds.map(({ id }) => id));
  const hasSettled = holds.some(({ state }) => state !== 'open');
  const isWide = room >= WIDE;
  const columns: readonly Column[] = [
    { name: 'HOLD' },
    ...(hasSettled ? [{ name: 'STATE' }] : []),
    { name: 'AGE' },
    { name: 'AGENT', maxWidth: 14 },
    ...(isWide ? [{ name: 'BY', maxWidth: 14 }] : []),
    { name: 'CALL' },
  ];
  const rows = holds.map((hold): ListRow => {
    const call = holdAsCall(hold);
    const notes = notesOf(hold, now);
    return {
      cells: [
        hold.id.slice(0, length),
        ...(hasSettled ? [hold.outcome ?? hold.state] : []),
        duration(now - timeOf(hold.createdAt)),
        hold.agent,
        ...(isWide ? [hold.requester?.id ?? ''] : []),
        summaryOf(hold),
      ],
      note: notes.length === 0 ? undefined : notes.join(' · '),
      style: warningsOf(call).length > 0 && hold.state === 'open' ? 'yellow' : undefined,
    };
  });
  return showColumns(columns, rows, room);
}

function notesOf(hold: HoldView, now: number): readonly string[] {
  const call = holdAsCall(hold);
  return [
    ...(call.path.length > 0 ? [pathText(call.path)] : []),
    ...(hold.state === 'open' ? openNotes(hold, now) : []),
    ...warningsOf(call).map(({ brief }) => `! ${brief}`),
  ];
}

function openNotes(hold: HoldView, now: number): readonly string[] {
  const { kind, expiresAt, votes, approvers, edit } = hold;
  const count = approvers?.count ?? 1;
  return [
    ...(count > 1 ? [`${votes.length} of ${count} approvals`] : []),
    ...(edit === undefined ? [] : ['edited']),
    ...(kind === 'question' ? ['has a question'] : []),
    ...(kind === 'external' ? ['needs a result'] : []),
    ...(expiresAt === undefined ? [] : [`expires in ${duration(timeOf(expiresAt) - now)}`]),
  ];
}
