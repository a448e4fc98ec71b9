/**
 * Short names for generated ids, numbered by their first appearance. Ids that the scenario sets
 * stay as they are.
 */
export class Aliases {
  readonly #given: ReadonlySet<string>;
  readonly #runs = new Map<string, string>();
  readonly #conversations = new Map<string, string>();

  constructor(given: ReadonlySet<string>) {
    this.#given = given;
  }

  run(id: string | undefined): string | null {
    return this.#alias(this.#runs, 'run', id);
  }

  conversation(id: string | undefined): string | null {
    return this.#alias(this.#conversations, 'conv', id);
  }

  #alias(known: Map<string, string>, prefix: string, id: string | undefined): string | null {
    if (id === undefined) return null;
    let alias = known.get(id);
    if (alias === undefined) {
      // An id of the scenario keeps its name, but still counts.
      alias = this.#given.has(id) ? id : `${prefix}-${known.size + 1}`;
      known.set(id, alias);
    }
    return alias;
  }
}

/** Returns every text in a scenario. Any other id was generated. */
export function textsIn(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof value === 'string') {
    found.add(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      found.add(key);
      textsIn(member, found);
    }
  }
  return found;
}

/** Returns a copy of observations in which generated tool call ids are `<auto>`. */
export function hideGeneratedCallIds(value: unknown, given: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => hideGeneratedCallIds(item, given));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === 'tool_call_id' && typeof member === 'string' && !given.has(member)
        ? '<auto>'
        : hideGeneratedCallIds(member, given),
    ]),
  );
}
