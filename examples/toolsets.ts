// Toolsets: modifiers, the instance that a run uses, and tool search.
import assert from 'node:assert/strict';
import {
  AbstractToolset,
  Agent,
  CombinedToolset,
  DeferredToolRequests,
  DynamicToolset,
  FunctionToolset,
  type RunContext,
  type Toolset,
  tool,
} from 'holdpoint';
import { toolSearch } from 'holdpoint/capabilities';
import { matchesToolSelector, type ToolSelector } from 'holdpoint/tools';
import type { ToolMap } from 'holdpoint/toolsets';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const Path = z.object({ path: z.string() });
const read = tool({ name: 'read', inputSchema: Path, execute: ({ path }) => `${path}: empty` });
const remove = tool({
  name: 'remove',
  inputSchema: Path,
  metadata: { effect: { writes: true } },
  execute: ({ path }) => `${path} is removed`,
});

// 1. Modifiers, one around the other.
{
  // #region modifiers
  const files = new FunctionToolset([read, remove], {
    id: 'files',
    instructions: 'Paths are relative to the project.',
  });

  const agent = new Agent({
    model: scriptedModel(calls('disk_remove', { path: 'a.txt' }), says('Removed.')),
    toolsets: [
      files
        .approvalRequired((_ctx, { metadata }) => metadata?.['effect'] !== undefined)
        .prefixed('disk'),
    ],
    output: [String, DeferredToolRequests],
  });
  // #endregion

  const parked = await agent.run('Remove a.txt.');

  assert.ok(parked.status === 'parked');
  const done = await agent.resume(parked, parked.output.buildResults({ approveAll: true }));
  assert.equal(done.output, 'Removed.');
}

// 2. A toolset with resources: it opens a browser window, and closes it.
// #region browser
class Browser extends AbstractToolset {
  readonly label = 'the browser';
  readonly #tools = new FunctionToolset([
    tool({ name: 'look', execute: () => `the page in window ${this.window}` }),
  ]);
  window: number | undefined;

  async open(): Promise<void> {
    this.window = openWindow();
  }

  getTools(ctx: RunContext): ToolMap | Promise<ToolMap> {
    return this.#tools.getTools(ctx);
  }

  async close(): Promise<void> {
    closeWindow(this.window);
    this.window = undefined;
  }
}
// #endregion

const windows = new Set<number>();
let lastWindow = 0;
function openWindow(): number {
  lastWindow += 1;
  windows.add(lastWindow);
  return lastWindow;
}
function closeWindow(window: number | undefined): void {
  if (window !== undefined) windows.delete(window);
}
const model = () => scriptedModel('One.', 'Two.', 'Three.');

// One instance for all runs. Concurrent runs share it, and it is opened once.
{
  // #region one-for-all
  const browser = new Browser();
  const agent = new Agent({ model: model(), toolsets: [browser] });
  // #endregion
  lastWindow = 0;

  await Promise.all([agent.run('Go.'), agent.run('Go.')]);

  assert.equal(lastWindow, 1);
}

// A new instance for each run.
{
  // #region each-run
  const agent = new Agent({ model: model(), toolsets: [() => new Browser()] });
  // #endregion
  lastWindow = 0;

  await Promise.all([agent.run('Go.'), agent.run('Go.')]);

  assert.equal(lastWindow, 2);
}

// The same, implemented by the toolset.
{
  // #region for-run
  class PrivateBrowser extends Browser {
    forRun(): Toolset {
      return new Browser();
    }
  }
  const agent = new Agent({ model: model(), toolsets: [new PrivateBrowser()] });
  // #endregion
  lastWindow = 0;

  await Promise.all([agent.run('Go.'), agent.run('Go.')]);

  assert.equal(lastWindow, 2);
}

// Another toolset in some steps.
{
  const reading = new FunctionToolset([read]);
  const removing = new FunctionToolset([remove]);
  const script = scriptedModel(calls('read', { path: 'a' }), says('Done.'));
  // #region each-step
  const agent = new Agent({
    model: script,
    toolsets: [new DynamicToolset(({ runStep }) => (runStep === 1 ? reading : removing))],
  });
  // #endregion

  await agent.run('Go.');

  assert.deepEqual(
    script.calls.map((call) => call.functionTools.map(({ name }) => name)),
    [['read'], ['remove']],
  );
}

// 3. `agent.open()` keeps the window open across runs.
{
  const agent = new Agent({ model: model(), toolsets: [new Browser()] });
  lastWindow = 0;
  // #region open
  {
    await using _opened = await agent.open();
    await agent.run('Read the page.');
    await agent.run('Read it again.'); // in the same window
  }
  // #endregion

  assert.equal(lastWindow, 1);
}
assert.equal(windows.size, 0, 'every window is closed');

// 4. Tools are selected by name, by metadata, or by a function.
{
  const files = new CombinedToolset([new FunctionToolset([read]), new FunctionToolset([remove])]);
  const seen: boolean[] = [];
  // #region selectors
  const byName: ToolSelector = ['read', 'list'];
  const byMetadata: ToolSelector = { effect: { writes: true } };
  const byDeps: ToolSelector<{ admin: boolean }> = (ctx) => ctx.deps.admin;

  const agent = new Agent({
    model: scriptedModel(says('Done.')),
    toolsets: [
      files.filtered(byName).prefixed('plain'),
      files.filtered(byMetadata).filtered(byDeps),
    ],
  });
  // #endregion
  const observed = files.filtered(async (ctx, definition) => {
    seen.push(await matchesToolSelector(byMetadata, ctx, definition));
    return false;
  });

  await agent.run('Go.', { deps: { admin: true }, toolsets: [observed] });

  assert.deepEqual(seen, [false, true]);
}

// 5. A thousand tools are not sent to the model. It searches for them.
{
  const customers = Array.from({ length: 1000 }, (_, number) =>
    tool({
      name: `invoices_${number}`,
      description: `The invoices of customer${number}.`,
      execute: () => `customer ${number} owes nothing`,
    }),
  );
  const script = scriptedModel(
    calls('search_tools', { queries: ['customer42'] }),
    calls('invoices_42'),
    says('Nothing.'),
  );
  // #region search
  const agent = new Agent({
    model: script,
    toolsets: [new FunctionToolset(customers).deferLoading()],
    capabilities: [toolSearch({ maxResults: 5 })],
  });

  await agent.run('What does customer42 owe?');
  // #endregion

  assert.deepEqual(
    script.calls.map((call) => call.functionTools.map(({ name }) => name)),
    [['search_tools'], ['invoices_42', 'search_tools'], ['invoices_42', 'search_tools']],
  );
}

console.log('Every toolset was opened and closed.');
