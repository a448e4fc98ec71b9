import type { ButtonElement, CardElement, LinkButtonElement, TextElement } from 'chat';
import type { JsonValue } from 'holdpoint';
import { requirementsOf, summaryOf } from '../approvers/requirements.ts';
import type { HoldWithDecisions } from '../desk/method-options.ts';
import { shownCall, type ShownPart } from '../http/links/shown-call.ts';
import { humanise } from '../http/views/hold-view.ts';
import type { CardFacts } from './card-facts.ts';
import { nameOf, outcomeText } from './outcome-text.ts';
import { lengthOnPlatform, plainLines, plainText } from './plain-text.ts';
import { requestedChangesText } from './requested-changes-text.ts';

/** The ids of the buttons. They are short: with the id of a card, a button of Telegram has at most 64 bytes. */
export const APPROVE = 'hold-approve';
export const DENY = 'hold-deny';
export const CHANGES = 'hold-changes';

/** The maximum length of a title, and of each other name. */
const MAX_NAME = 100;

/**
 * The maximum length of the texts of the call, and of all text before the votes. Platforms cut
 * longer messages.
 */
const MAX_CALL = 2_500;
const MAX_LENGTH = 3_500;

/** Returns the card of a hold: the call, its state, and buttons while it is open. */
export function holdCard(facts: CardFacts, cardId: string): CardElement {
  const { hold, secrets } = facts;
  const { title, introduction, call, isWhole } = contentOf(facts);
  const outcome = outcomeText(hold, secrets);
  const changes = requestedChangesText(facts);
  return {
    type: 'card',
    title,
    children: [
      ...introduction.map(textElement),
      ...(isWhole ? call : [`The call is too long for a card.${INBOX_ADVICE}`]).map(textElement),
      textElement(outcome === undefined ? openText(hold) : outcome),
      ...(changes === undefined ? [] : [textElement(changes)]),
      ...actionsOf(facts, cardId, isWhole),
    ],
  };
}

const INBOX_ADVICE = ' Open the inbox to review and approve it.';

/**
 * Returns whether an approver may approve a hold on its card, because the card shows the whole
 * call.
 */
export function isApprovable(facts: CardFacts): boolean {
  return facts.hold.kind === 'approval' && contentOf(facts).isWhole;
}

function headingOf({ outcome, kind, inDoubt }: HoldWithDecisions): string {
  if (outcome !== undefined) return 'Settled:';
  if (inDoubt !== undefined) return 'Execute again?';
  return { approval: 'Approve?', question: 'Input needed:', external: 'Result needed:' }[kind];
}

function factLines({ agent, toolName, path, requester }: HoldWithDecisions): readonly string[] {
  const through = path.map((call) => short(call.toolName)).join(' → ');
  return [
    `**Tool** ${short(toolName)}`,
    ...(through === '' ? [] : [`**Called through** ${through}`]),
    `**Agent** ${short(agent)}`,
    `**Requested by** ${requester === undefined ? 'unknown' : nameOf(requester)}`,
  ];
}

function openText(hold: HoldWithDecisions): string {
  const { votes = [], expiresAt } = hold;
  const { count } = summaryOf(requirementsOf(hold));
  const voters = votes.length === 0 ? '' : `: ${votes.map(nameOf).join(', ')}`;
  const expiry = expiresAt === undefined ? '' : `\nExpires ${timeText(expiresAt)}`;
  return `${votes.length} of ${count} approvals${voters}${expiry}`;
}

interface CardContent {
  readonly title: string;
  /** Facts about the hold, and warnings. */
  readonly introduction: readonly string[];
  /** The parts of the call. */
  readonly call: readonly string[];
  /** True if platforms show these parts completely. */
  readonly isWhole: boolean;
}

/** Returns the facts that an approver must see before a decision. */
function contentOf({ hold, redaction, secrets }: CardFacts): CardContent {
  const { parts, warnings, isCut } = shownCall(hold, redaction, secrets);
  const title = `${headingOf(hold)} ${short(hold.title ?? humanise(hold.toolName))}`;
  const introduction = [
    factLines(hold).join('\n'),
    ...warnings.map((warning) => `⚠ ${plainText(warning)}`),
  ];
  const question = hold.question && secrets.takeOutOfText(hold.question.message);
  const call = [
    ...(question === undefined ? [] : [`**Question**\n${plainLines(question)}`]),
    ...parts.map(partText),
  ];
  const isShort =
    lengthOf(call) <= MAX_CALL && lengthOf([title, ...introduction, ...call]) <= MAX_LENGTH;
  return { title, introduction, call, isWhole: !isCut && isShort };
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + lengthOnPlatform(text), 0);
}

/** A text keeps its lines. Members of an object are labelled, and their texts are in quotes. */
function partText({ name, text, value }: ShownPart): string {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) return `**${name}**\n${plainLines(text)}`;
  const lines = Object.entries(value).map(([label, one]) => `│ ${labelled(label, one)}`);
  return `**${name}**\n${lines.length === 0 ? '│ none' : lines.join('\n')}`;
}

/** Quotes a label that is not a plain name, so that it cannot resemble a label and a value. */
function labelled(label: string, value: JsonValue): string {
  const name = /^[\w$.-]+$/.test(label) ? label : JSON.stringify(label);
  return `**${oneLine(name)}** ${oneLine(JSON.stringify(value))}`;
}

function oneLine(text: string): string {
  return plainText(text.replaceAll('\n', ' '));
}

function short(name: string): string {
  const text = oneLine(name);
  return text.length > MAX_NAME ? `${[...text].slice(0, MAX_NAME - 1).join('')}…` : text;
}

function actionsOf(
  { hold, url }: CardFacts,
  cardId: string,
  isWhole: boolean,
): CardElement['children'] {
  const isDecidable = hold.outcome === undefined && hold.kind === 'approval';
  const approve = { id: APPROVE, label: 'Approve', style: 'primary' } as const;
  const deny = { id: DENY, label: 'Deny …', style: 'danger', actionType: 'modal' } as const;
  const changes = { id: CHANGES, label: 'Request changes …', actionType: 'modal' } as const;
  const buttons: readonly Omit<ButtonElement, 'type' | 'value'>[] = [
    ...(isWhole ? [approve] : []),
    deny,
    changes,
  ];
  const children: (ButtonElement | LinkButtonElement)[] = isDecidable
    ? buttons.map((button) => ({ type: 'button', ...button, value: cardId }))
    : [];
  if (url !== undefined) {
    children.push({ type: 'link-button', id: OPEN, label: 'Open in inbox', url });
  }
  return children.length === 0 ? [] : [{ type: 'actions', children }];
}

/** Some platforms report clicks on links. They need no response. */
const OPEN = 'hold-open';

function textElement(content: string): TextElement {
  return { type: 'text', content };
}

function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
