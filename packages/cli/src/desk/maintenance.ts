import type { ServedDesk } from '@holdpoint/desk';
import { Screen } from '../terminal/screen.ts';
import { printJson } from './format.ts';
import { loadDesk } from './load-desk.ts';

/** Applies the retention policy of a desk file, and prints the number of rows. */
export async function applyRetention(
  path: string,
  { dryRun, json }: { readonly dryRun?: true | undefined; readonly json?: true | undefined },
): Promise<void> {
  await withDeskOf(path, async (desk) => {
    const report = await desk.applyRetention({ dryRun });
    if (json) return printJson(report);
    const screen = new Screen(process.stdout);
    screen.plain({ text: dryRun ? 'Would delete:' : 'Deleted:' });
    for (const [kind, count] of Object.entries(report)) {
      screen.plain({ text: `${String(count).padStart(8)}  ${kind}` });
    }
  });
}

/** Records that the database of a desk file was restored from a backup. */
export async function markRestored(path: string): Promise<void> {
  await withDeskOf(path, async (desk) => {
    await desk.markRestoredFromBackup();
    const text =
      'Recorded. Runs from before the restore are not resumed: they become stuck. Check what they did, and cancel them.';
    new Screen(process.stdout).plain({ text });
  });
}

/** Opens the desk of a file, works with it and closes it. */
export async function withDeskOf(
  path: string,
  work: (desk: ServedDesk) => Promise<void>,
): Promise<void> {
  const { desk } = await loadDesk(path, {
    urlOf: () => undefined,
    accessOf: ({ authorize, signIn }) => ({ authorize, signIn }),
  });
  try {
    await work(desk);
  } finally {
    await desk.close();
  }
}
