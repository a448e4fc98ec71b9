import { UserError } from 'holdpoint';

/** Throws for a member that is not one of these, and names the one that was probably meant. */
export function checkKeys(what: string, value: object, known: readonly string[]): void {
  for (const key of Object.keys(value)) {
    if (!known.includes(key))
      throw new UserError(`${unknownKey(what, key)} ${adviceFor(key, known)}`);
  }
}

function unknownKey(what: string, key: string): string {
  return `Unknown option \`${key}\` in ${what}. An option that is ignored could let a call execute.`;
}

/** Returns advice for an unknown name: the known one that is nearest, or all of them. */
export function adviceFor(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known);
  if (nearest !== undefined) return `Did you mean \`${nearest}\`?`;
  return known.length === 0 ? 'There are none.' : `Use one of: ${known.join(', ')}.`;
}

function nearestOf(name: string, known: readonly string[]): string | undefined {
  const distances = known.map((one) => ({ one, distance: distanceOf(plain(name), plain(one)) }));
  const [best] = distances.toSorted((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.max(2, name.length / 3) ? best.one : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** Returns the number of letters to insert, remove or replace. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, wanted] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
