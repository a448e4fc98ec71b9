// Five lifecycle policies of toolsets, and the browser window of each agent.
import assert from 'node:assert/strict';
import {
  AbstractToolset,
  Agent,
  FunctionToolset,
  inherit,
  type RunContext,
  type Tool,
  type Toolset,
  tool,
} from 'holdpoint';
import type { ToolMap } from 'holdpoint/toolsets';
import { calls, functionModel, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const windows = new Set<number>();
let lastWindow = 0;

// #region browser
class Browser extends AbstractToolset {
  readonly label = 'the browser';
  readonly #tools: FunctionToolset;
  #url: string;
  #window: number | undefined;

  constructor(url = 'about:blank') {
    super();
    this.#url = url;
    this.#tools = new FunctionToolset([
      tool({
        name: 'go',
        inputSchema: z.object({ url: z.string() }),
        execute: ({ url: address }) => {
          this.#url = address;
        },
      }),
      tool({ name: 'look', execute: () => `window ${this.#window}: ${this.#url}` }),
    ]);
  }

  override get id(): string {
    return 'browser';
  }

  getTools(ctx: RunContext): ToolMap | Promise<ToolMap> {
    return this.#tools.getTools(ctx);
  }

  // Acquires the resources that the tools need.
  async open(): Promise<void> {
    this.#window = openWindow();
  }

  // Releases what `open` acquired. The address stays, because `open` did not set it.
  async close(): Promise<void> {
    closeWindow(this.#window);
  }

  // Gives a sub-agent its own window on the same page.
  forSubAgent(): Toolset {
    return new Browser(this.#url);
  }
}
// #endregion

let seen: string[] = [];

function openWindow(): number {
  lastWindow += 1;
  windows.add(lastWindow);
  return lastWindow;
}
function closeWindow(window: number | undefined): void {
  if (window !== undefined) windows.delete(window);
}

/** Creates a model that follows the script in each run, and records the results of `look`. */
function following(...script: readonly ReturnType<typeof calls>[]) {
  return functionModel(({ messages }) => {
    for (const part of messages.at(-1)?.parts ?? []) {
      if (part.kind === 'tool-return' && part.toolName === 'look') seen.push(String(part.content));
    }
    const step = messages.filter(({ kind }) => kind === 'response').length;
    return script[step] ?? says('Done.');
  });
}
const looking = following(calls('look'), calls('go', { url: 'sub.example' }));
const leading = following(
  calls('go', { url: 'lead.example' }),
  calls('researcher', { prompt: 'Look around.' }),
  calls('look'),
);

/** Returns the windows that the sub-agent and then the agent saw in two runs. */
async function twoRuns(lead: Agent<readonly Tool[]>): Promise<string[]> {
  seen = [];
  lastWindow = 0;
  await lead.run('Go.');
  await lead.run('Go.');
  assert.equal(windows.size, 0, 'every window is closed');
  return seen;
}

// 1. One instance for all runs, here without a sub-agent.
{
  // #region one-for-all
  const agent = new Agent({ model: looking, toolsets: [new Browser()] });
  // #endregion

  assert.deepEqual(await twoRuns(agent), ['window 1: about:blank', 'window 2: sub.example']);
}

// 2. A new instance for each run.
{
  // #region each-run
  const agent = new Agent({ model: looking, toolsets: [() => new Browser()] });
  // #endregion

  assert.deepEqual(await twoRuns(agent), ['window 1: about:blank', 'window 2: about:blank']);
}

// 3. A new instance for each agent call: the same function on the sub-agent.
{
  // #region each-call
  const fresh = () => new Browser();
  const researcher = new Agent({ name: 'researcher', model: looking, toolsets: [fresh] });
  const lead = new Agent({ model: leading, tools: [researcher.asTool()], toolsets: [fresh] });
  // #endregion

  assert.deepEqual(await twoRuns(lead), [
    'window 2: about:blank',
    'window 1: lead.example',
    'window 4: about:blank',
    'window 3: lead.example',
  ]);
}

// 4. A snapshot of the parent's instance, made by `forSubAgent`.
{
  // #region snapshot
  const researcher = new Agent({
    name: 'researcher',
    model: looking,
    toolsets: [inherit('browser')],
  });
  const lead = new Agent({
    model: leading,
    tools: [researcher.asTool()],
    toolsets: [() => new Browser()],
  });
  // #endregion

  assert.deepEqual(await twoRuns(lead), [
    'window 2: lead.example',
    'window 1: lead.example',
    'window 4: lead.example',
    'window 3: lead.example',
  ]);
}

// 5. The parent's instance itself; `forSubAgent` is not called.
{
  // #region shared
  const researcher = new Agent({
    name: 'researcher',
    model: looking,
    toolsets: [inherit('browser', { share: true })],
  });
  // #endregion
  const lead = new Agent({
    model: leading,
    tools: [researcher.asTool()],
    toolsets: [() => new Browser()],
  });

  assert.deepEqual(await twoRuns(lead), [
    'window 1: lead.example',
    'window 1: sub.example',
    'window 2: lead.example',
    'window 2: sub.example',
  ]);
}

// Parallel calls use the same instance. Mark tools `sequential` if their calls must not overlap.
{
  const book: number[] = [];
  // #region sequential
  const entry = tool({
    name: 'entry',
    inputSchema: z.object({ amount: z.number() }),
    sequential: true,
    async execute({ amount }) {
      const balance = await readBalance();
      await writeBalance(balance + amount);
    },
  });
  // #endregion
  async function readBalance(): Promise<number> {
    return book.at(-1) ?? 0;
  }
  async function writeBalance(balance: number): Promise<void> {
    book.push(balance);
  }
  const booking = scriptedModel(
    responds(...[1, 2, 3].map((amount) => calls('entry', { amount }))),
    says('Done.'),
  );

  await new Agent({ model: booking, tools: [entry] }).run('Book 1, 2 and 3.');

  assert.deepEqual(book, [1, 3, 6]);
}

console.log('Every agent saw the window that its policy defines.');
