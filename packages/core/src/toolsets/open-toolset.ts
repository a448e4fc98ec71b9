import type { Toolset } from './toolset.ts';

interface OpenCount {
  users: number;
  /** Resolves when the toolset is open. */
  opening: Promise<void>;
}

/** The number of users of each toolset. The first one opens it, the last one closes it. */
const openCounts = new WeakMap<Toolset<never>, OpenCount>();
/** Toolsets that are being closed. They can be opened again only afterwards. */
const closing = new WeakMap<Toolset<never>, Promise<void>>();

/** Opens a toolset, unless another user has opened it. */
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
    // The next user tries again.
    if (openCounts.get(toolset) === count) openCounts.delete(toolset);
    throw error;
  }
}

/** Closes a toolset, unless another user still needs it. */
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
  // `closeToolset` throws the error of `close`.
  await closing.get(toolset)?.catch(() => {});
  await toolset.open?.();
}
