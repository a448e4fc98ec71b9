import type { HoldRow } from '../model/hold-row.ts';
import type { Redaction } from './redaction.ts';
import type { Secrets } from './secrets.ts';

/** The parts of a hold that a search covers. */
export type SearchedHold = Pick<
  HoldRow,
  'toolName' | 'args' | 'preview' | 'question' | 'requester' | 'agent'
>;

const MAX_SEARCH_TEXT = 4_000;

/**
 * Returns the text for searches: the parts of a hold that people see, in a form that every
 * database can hold. It contains no redacted value, so a search cannot reveal one.
 */
export function searchTextOf(hold: SearchedHold, redaction: Redaction, secrets: Secrets): string {
  const { toolName, args, preview, question, requester, agent } = hold;
  const shown = [
    toolName,
    secrets.takeOutOf(redaction.argsOf({ toolName, args })),
    preview === undefined ? undefined : secrets.takeOutOf(redaction.previewOf(toolName, preview)),
    question && secrets.takeOutOfText(question.message),
    requester,
    agent,
  ];
  return shown
    .filter((one) => one !== undefined)
    .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
    .join(' ')
    .toLowerCase()
    .slice(0, MAX_SEARCH_TEXT)
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ');
}
