/** The names of the tools of an agent, a toolset or a tool that are known without a run. */
export interface KnownTools {
  /** The names that the model sees. */
  readonly own: readonly string[];
  /** The names of tools of sub-agents. */
  readonly nested: readonly string[];
  /**
   * True if the list is complete. False if a factory, a server or a function determines the tools
   * in a run.
   */
  readonly isComplete: boolean;
}

const UNKNOWN: KnownTools = Object.freeze({ own: [], nested: [], isComplete: false });

const knownTools = new WeakMap<object, () => KnownTools>();

/** Registers a function that returns the names of an owner's tools. */
export function registerKnownTools(owner: object, find: () => KnownTools): void {
  knownTools.set(owner, find);
}

/** Returns the names of the tools of an agent, a toolset or a tool that are known without a run. */
export function knownToolsOf(owner: object): KnownTools {
  return knownTools.get(owner)?.() ?? UNKNOWN;
}

/** Returns true if the tools of an owner are known. A tool is registered only if it is a sub-agent. */
export function hasKnownTools(owner: object): boolean {
  return knownTools.has(owner);
}

/** Combines the tools of several owners. */
export function joinKnownTools(all: readonly KnownTools[]): KnownTools {
  return {
    own: all.flatMap(({ own }) => own),
    nested: all.flatMap(({ nested }) => nested),
    isComplete: all.every(({ isComplete }) => isComplete),
  };
}
