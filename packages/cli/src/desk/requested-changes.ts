import type { DeskClient, RequestedChangesView } from '@holdpoint/desk/client';
import { oneLine } from '../terminal/calls.ts';
import type { Line } from '../terminal/lines.ts';
import { shortId } from './find-id.ts';
import { personText } from './format.ts';

/** Returns the changes that approvers requested about a hold and earlier calls, with the responses of the model. */
export async function showRequestedChanges(
  client: DeskClient,
  holdId: string,
): Promise<readonly Line[]> {
  const { items } = await client.requestedChanges(holdId);
  return items.flatMap((one) => linesOf(one, holdId));
}

function linesOf(
  { holdId, message, by, onBehalfOf, at, response }: RequestedChangesView,
  shownId: string,
): readonly Line[] {
  const label = { text: 'changes   ', style: 'cyan' } as const;
  const later = response?.holdIds.filter((id) => id !== shownId).map(shortId) ?? [];
  const author = `${personText(by)}${onBehalfOf ? ` on behalf of ${personText(onBehalfOf)}` : ''}`;
  return [
    // The decisions of the hold itself have the request.
    ...(holdId === shownId
      ? []
      : [{ label, text: `requested by ${author}, ${at}: ${oneLine(message)}` }]),
    ...(response?.text === undefined
      ? []
      : [{ label, text: `response: ${oneLine(response.text)}` }]),
    ...(later.length === 0 ? [] : [{ label, text: `new hold: ${later.join(', ')}` }]),
  ];
}
