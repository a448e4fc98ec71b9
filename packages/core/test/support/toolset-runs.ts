import { Agent, type Toolset } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { offeredTo, resultsIn } from './toolsets.ts';

/** Runs an agent with one toolset. The model calls these tools, one in each step. */
export async function runWith(toolset: Toolset, ...toolNames: readonly string[]) {
  const model = scriptedModel(...toolNames.map((name) => calls(name)), says('Done.'));
  const result = await new Agent({ model, toolsets: [toolset] }).run('Go.');
  return { model, offered: offeredTo(model), results: resultsIn(result.messages), result };
}
