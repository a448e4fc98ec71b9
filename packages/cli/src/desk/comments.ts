import type { DeskClient } from '@holdpoint/desk/client';
import { Screen } from '../terminal/screen.ts';
import { findHold, shortId } from './find-id.ts';
import { printJson } from './format.ts';

/** Comments on a hold. */
export async function comment(
  client: DeskClient,
  { holdId, text }: { readonly holdId: string; readonly text: string },
  isJson: boolean,
): Promise<void> {
  const id = await findHold(client, holdId);
  const created = await client.comment(id, { text });
  if (isJson) return printJson(created);
  const done = `Comment ${created.number} on hold ${shortId(id)} is added.`;
  new Screen(process.stdout).plain({ text: done, style: 'green' });
}
