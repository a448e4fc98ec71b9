import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, normalize, resolve, sep } from 'node:path';
import {
  AbstractToolset,
  FunctionToolset,
  ModelRetry,
  type RunContext,
  type Toolset,
  tool,
} from 'holdpoint';
import type { Delegation, ToolMap } from 'holdpoint/toolsets';
import { z } from 'zod';

/**
 * The current folder of a sub-agent: shared with the outer run (`shared`), its own from there on
 * (`own`), or a folder with the agent's name (`named`).
 */
export type FolderOfSubAgents = 'shared' | 'own' | 'named';

interface FileSystemOptions {
  readonly root: string;
  readonly subAgents: FolderOfSubAgents;
  /** The folder to begin in, below the root. */
  readonly folder?: string | undefined;
}

/** Files in a folder, with a current folder. Options determine the part that sub-agents share. */
export class FileSystemToolset extends AbstractToolset {
  readonly #options: FileSystemOptions;
  readonly #tools: FunctionToolset;
  #folder: string;

  constructor(options: FileSystemOptions) {
    super();
    this.#options = options;
    this.#folder = options.folder ?? '.';
    const enter = tool({
      name: 'enter',
      inputSchema: z.object({ folder: z.string() }),
      execute: async ({ folder }) => {
        const next = normalize(join(this.#folder, folder));
        await mkdir(this.#resolve(next), { recursive: true });
        this.#folder = next;
      },
    });
    const write = tool({
      name: 'write',
      inputSchema: z.object({ file: z.string(), text: z.string() }),
      execute: ({ file, text }) => writeFile(this.#resolve(join(this.#folder, file)), text),
    });
    const list = tool({
      name: 'list',
      execute: async () => {
        const names = await readdir(this.#resolve(this.#folder));
        return `${this.#folder}: ${names.toSorted().join(' ')}`;
      },
    });
    this.#tools = new FunctionToolset([enter, write, list]);
  }

  override get id(): string {
    return 'files';
  }

  get label(): string {
    return 'the file system';
  }

  /** Returns the toolset that the options define for the sub-agent. */
  forSubAgent({ agent }: Delegation): Toolset {
    const { subAgents } = this.#options;
    if (subAgents === 'shared') return this;
    const folder = subAgents === 'named' ? (agent.name ?? 'unnamed') : this.#folder;
    return new FileSystemToolset({ ...this.#options, folder });
  }

  /** Creates the current folder if it is missing. */
  async open(): Promise<void> {
    await mkdir(this.#resolve(this.#folder), { recursive: true });
  }

  /** Nothing has to be released; the current folder stays. */
  async close(): Promise<void> {}

  getTools(ctx: RunContext): ToolMap | Promise<ToolMap> {
    return this.#tools.getTools(ctx);
  }

  #resolve(path: string): string {
    const root = resolve(this.#options.root);
    const full = resolve(root, path);
    if (full === root || full.startsWith(root + sep)) return full;
    throw new ModelRetry(`${path} is outside of the folder.`);
  }
}
