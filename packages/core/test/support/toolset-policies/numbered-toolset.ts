import { AbstractToolset, FunctionToolset, type RunContext, type Toolset, tool } from 'holdpoint';
import type { Delegation, ToolMap } from 'holdpoint/toolsets';
import { z } from 'zod';

/** A position in a tree of runs, and the toolset that a call saw there. */
export interface Sighting {
  readonly position: string;
  readonly seen: NumberedToolset;
}

/** The shared state of the toolsets of one test: their sightings, and the open toolsets. */
export class Board {
  readonly sightings: Sighting[] = [];
  readonly open: Set<NumberedToolset> = new Set();
}

/**
 * A toolset with an identity. Its tool `look` records the position from which it is called. All runs
 * and sub-agents share this instance.
 */
export class NumberedToolset extends AbstractToolset {
  readonly board: Board;
  /** The original of this copy. */
  readonly from: NumberedToolset | undefined;
  readonly #tools: FunctionToolset;

  constructor(board: Board, from?: NumberedToolset) {
    super();
    this.board = board;
    this.from = from;
    const look = tool({
      name: 'look',
      inputSchema: z.object({ position: z.string() }),
      execute: ({ position }) => void board.sightings.push({ position, seen: this }),
    });
    this.#tools = new FunctionToolset([look]);
  }

  override get id(): string {
    return 'numbered';
  }

  get label(): string {
    return 'a numbered toolset';
  }

  async open(): Promise<void> {
    if (this.board.open.has(this)) throw new Error('It was opened twice.');
    this.board.open.add(this);
  }

  async close(): Promise<void> {
    if (!this.board.open.delete(this)) throw new Error('It was closed twice.');
  }

  getTools(ctx: RunContext): ToolMap | Promise<ToolMap> {
    if (!this.board.open.has(this)) throw new Error('It is not open.');
    return this.#tools.getTools(ctx);
  }
}

/** A toolset with a new instance for each run. */
export class FreshToolset extends NumberedToolset {
  forRun(): Toolset {
    return new NumberedToolset(this.board);
  }
}

/** A toolset with a copy for each sub-agent. */
export class CopiedToolset extends NumberedToolset {
  forSubAgent(_delegation: Delegation): Toolset {
    return new CopiedToolset(this.board, this);
  }
}

/**
 * A toolset that creates a new instance for each run, and copies the instance of the delegating run for
 * a sub-agent. The instances it creates are shared.
 */
export class PatternToolset extends NumberedToolset {
  forRun(): Toolset {
    return this.from === undefined ? new MadeToolset(this.board) : this;
  }

  forSubAgent({ findToolset }: Delegation): Toolset {
    const parents = findToolset(this.id);
    if (!(parents instanceof NumberedToolset)) throw new Error('The parent has none.');
    return new MadeToolset(this.board, parents);
  }
}

/** An instance that a {@link PatternToolset} creates. */
class MadeToolset extends NumberedToolset {}
