import type { ButtonElement, CardElement, LinkButtonElement, TextElement } from 'chat';
import type { JsonValue } from 'holdpoint';
import { requirementsOf, summaryOf } from '../approvers/requirements.ts';
import type { HoldWithDecisions } from '../desk/method-options.ts';
import { type ShownCall, shownCall, type ShownPart } from '../http/links/shown-call.ts';
import { humanise } from '../http/views/hold-view.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { Secrets } from '../redaction/secrets.ts';
import { nameOf, outcomeText } from './outcome-text.ts';
import { plainLines, plainText } from './plain-text.ts';

/** The ids of the buttons. */
export const APPROVE = 'holdpoint-approve';
export const DENY = 'holdpoint-deny';
export const CHANGES = 'holdpoint-changes';

/** The maximum length of a title, and of each other name. */
const MAX_NAME = 100;

/** The maximum length of the texts of the call. Platforms cut or reject longer messages. */
const MAX_LENGTH = 2_500;

/** The facts that a card is made of. */
export interface CardFacts {
  readonly hold: HoldWithDecisions;
  readonly redaction: Redaction;
  readonly secrets: Secrets;
  /** The address of the hold in the inbox, if the desk has one. */
  readonly url: string | undefined;
}

/** Returns the card of a hold: the call, its state, and buttons while it is open. */
export function holdCard(facts: CardFacts, cardId: string): CardElement {
  const { hold, secrets } = facts;
  const { isWhole, texts, warnings } = callTexts(facts);
  const outcome = outcomeText(hold, secrets);
  const shown = isWhole ? texts : [`The call is too long for a card.${INBOX_ADVICE}`];
  const title = short(hold.title ?? humanise(hold.toolName));
  return {
    type: 'card',
    title: `${headingOf(hold)} ${title}`,
    children: [
      textElement(factLines(hold).join('\n')),
      ...warnings.map((warning) => textElement(`⚠ ${warning}`)),
      ...shown.map(textElement),
      textElement(outcome === undefined ? openText(hold) : outcome),
      ...actionsOf(facts, cardId, isWhole),
    ],
  };
}

const INBOX_ADVICE = ' Open the inbox to review and approve it.';

/** Returns whether an approver may approve a hold on its card: all of the call is there. */
export function isApprovable(facts: CardFacts): boolean {
  return facts.hold.kind === 'approval' && callTexts(facts).isWhole;
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

interface CallTexts extends Pick<ShownCall, 'warnings'> {
  readonly texts: readonly string[];
  readonly isWhole: boolean;
}

function callTexts({ hold, redaction, secrets }: CardFacts): CallTexts {
  const { parts, warnings, isCut } = shownCall(hold, redaction, secrets);
  const question = hold.question && secrets.takeOutOfText(hold.question.message);
  const texts = [
    ...(question === undefined ? [] : [`**Question**\n${plainLines(question)}`]),
    ...parts.map(partText),
  ];
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const plain = warnings.map((warning) => plainText(warning));
  return { texts, warnings: plain, isWhole: !isCut && length <= MAX_LENGTH };
}

/** A text keeps its lines. Members of an object are labelled, and their texts are in quotes. */
function partText({ name, text, value }: ShownPart): string {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) return `**${name}**\n${plainLines(text)}`;
  const lines = Object.entries(value).map(([label, one]) => `│ ${labelled(label, one)}`);
  return `**${name}**\n${lines.length === 0 ? '│ none' : lines.join('\n')}`;
}

/** A label that is not a plain name is in quotes, so it cannot appear to be a label and a value. */
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
const OPEN = 'holdpoint-open';

function textElement(content: string): TextElement {
  return { type: 'text', content };
}

function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
