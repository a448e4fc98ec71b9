import type { DeskClient } from '@holdpoint/desk/client';
import { Screen } from '../terminal/screen.ts';
import { findHold, shortId } from './find-id.ts';
import { duration, printJson, timeOf } from './format.ts';

/** Creates a callback address for a hold, and prints it once. */
export async function createCallback(
  client: DeskClient,
  { holdId, expiresAfter }: { readonly holdId: string; readonly expiresAfter?: number | undefined },
  isJson: boolean,
): Promise<void> {
  const id = await findHold(client, holdId);
  const created = await client.holdCallback(id, { expiresAfter });
  if (isJson) return printJson(created);
  const left = duration(timeOf(created.expiresAt) - Date.now());
  new Screen(process.stdout).plain(
    { text: `Callback address of hold ${shortId(id)}, valid once within ${left}:`, style: 'green' },
    { text: created.url },
    {
      text: 'It is a secret, and cannot be shown again. Its result counts as yours.',
      style: 'dim',
    },
  );
}
