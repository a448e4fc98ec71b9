import type { CardFacts } from './card-facts.ts';
import { nameOf, quotedText } from './outcome-text.ts';

/** Returns the changes that an approver requested about this or an earlier call, and the response of the agent. */
export function requestedChangesText({ hold, changes, secrets }: CardFacts): string | undefined {
  if (changes === undefined) return undefined;
  const { holdId, by, message, response } = changes;
  // The outcome of the hold itself has the request.
  const request =
    holdId === hold.id
      ? []
      : [`**Changes requested by ${nameOf(by)}** ${quotedText(message, secrets)}`];
  const text = response?.text;
  const responses = text === undefined ? [] : [`**Response** ${quotedText(text, secrets)}`];
  return [...request, ...responses].join('\n') || undefined;
}

/** Returns the response to changes that an approver of a hold requested, for the thread of its card. */
export function responseText({ hold, changes, secrets }: CardFacts): string | undefined {
  if (changes?.response === undefined || changes.holdId !== hold.id) return undefined;
  const { text, holdIds } = changes.response;
  if (text === undefined && holdIds.length === 0) return undefined;
  const said = text === undefined ? '.' : `: ${quotedText(text, secrets)}`;
  const next = holdIds.length === 0 ? '' : ' Its new call has another card.';
  return `The agent responded to ${nameOf(changes.by)}${said}${next}`;
}
