// A small in-memory repository, the tools that work on it, and the agent that has them.
import { Agent, type RunContext, tool, ToolFailed } from 'holdpoint';
import { z } from 'zod';

/** What the tools work on: files by path, in memory. */
export interface Sandbox {
  readonly files: Map<string, string>;
}

export function makeSandbox(): Sandbox {
  return {
    files: new Map([
      ['package.json', '{ "name": "kettle", "version": "1.2.0" }'],
      ['CHANGELOG.md', '## Unreleased\n- Keep-warm mode\n- Fix: the lid sensor woke nobody up\n'],
      ['src/lid.ts', 'export const lidIsOpen = () => sensor.read() > 0.5;\n'],
      ['CODEOWNERS', '/src/lid.ts @grace\n* @ada\n'],
    ]),
  };
}

/** Reading takes a while, as it would from a disk or over a network. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const listFiles = tool({
  name: 'list_files',
  description: 'The paths of all files.',
  async execute(_args, ctx: RunContext<Sandbox>) {
    await pause(250);
    return [...ctx.deps.files.keys()];
  },
});

const readFile = tool({
  name: 'read_file',
  description: 'Read a file.',
  inputSchema: z.object({ path: z.string() }),
  async execute({ path }, ctx: RunContext<Sandbox>) {
    const text = ctx.deps.files.get(path);
    if (text === undefined) throw new ToolFailed(`There is no file '${path}'.`);
    await pause(200 + 6 * text.length);
    return text;
  },
});

const setVersion = tool({
  name: 'set_version',
  description: 'Write a new version into package.json.',
  inputSchema: z.object({
    version: z.string().regex(/^\d+\.\d+\.\d+$/, 'Write it as major.minor.patch, such as 2.0.1.'),
  }),
  // Writes one at a time.
  sequential: true,
  execute({ version }, ctx: RunContext<Sandbox>) {
    const before = ctx.deps.files.get('package.json') ?? '{}';
    const after = before.replace(/"version": "[^"]*"/, `"version": "${version}"`);
    ctx.deps.files.set('package.json', after);
    return after;
  },
});

/** What a run of the release agent ends with. */
const Release = z.object({
  version: z.string().describe('The new version'),
  title: z.string().describe('A headline of a few words'),
  notes: z.array(z.string()).describe('One line for each change, for users'),
});

export const releaseAgent = new Agent({
  name: 'release-desk',
  instructions: 'You prepare releases. Say briefly what you are about to do, then do it.',
  tools: [listFiles, readFile, setVersion],
  output: Release,
  retries: 2,
});
