import type { Toolset } from './toolset.ts';

interface OpenCount {
  users: number;
  /** Done when the toolset is open. */
  opening: Promise<void>;
}

/** Who uses which toolset: shared ones are opened for the first and closed after the last. */
const openCounts = new WeakMap<Toolset<never>, OpenCount>();
/** Toolsets that are being closed: they are opened again only after that. */
const closing = new WeakMap<Toolset<never>, Promise<void>>();

/** Opens a toolset, unless somebody else has it open. */
export async function openToolset(toolset: Toolset<never>): Promise<void> {
  if (toolset.open === undefined) return;
  let count = openCounts.get(toolset);
  if (count === undefined) {
    count = { users: 0, opening: openAfterClosing(toolset) };
    openCounts.set(toolset, count);
  }
  count.users += 1;
  try {
    await count.opening;
  } catch (error) {
    // It is not open for anybody; the next one tries again.
    if (openCounts.get(toolset) === count) openCounts.delete(toolset);
    throw error;
  }
}

/** Closes a toolset, unless somebody else still uses it. */
export async function closeToolset(toolset: Toolset<never>): Promise<void> {
  const count = openCounts.get(toolset);
  if (count === undefined) return;
  count.users -= 1;
  if (count.users > 0) return;
  openCounts.delete(toolset);
  const closed = Promise.resolve(toolset.close?.());
  closing.set(toolset, closed);
  try {
    await closed;
  } finally {
    if (closing.get(toolset) === closed) closing.delete(toolset);
  }
}

async function openAfterClosing(toolset: Toolset<never>): Promise<void> {
  // Whoever closes it learns of an error there.
  await closing.get(toolset)?.catch(() => {});
  await toolset.open?.();
}
