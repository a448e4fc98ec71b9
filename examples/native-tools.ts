// Native tools: tools that the model's provider executes, and functions as fallbacks.
import assert from 'node:assert/strict';
import { Agent, type RunContext, tool } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const found = [{ url: 'https://bees.example', title: 'Bees' }];
const search = { toolName: 'web_search', toolCallId: 'search-1' };

/** A model whose provider searches the web: the response contains the search and its result. */
const searching = () =>
  scriptedModel(
    responds(
      { kind: 'native-tool-call', ...search, args: { query: 'bees' } },
      { kind: 'native-tool-return', ...search, content: found, outcome: 'success' },
      says('They fly.'),
    ),
    { supportsNative: ['web-search'] },
  );

// 1. Native tools of an agent.
{
  const model = searching();

  // #region agent
  const agent = new Agent({
    model,
    nativeTools: [{ kind: 'web-search', allowedDomains: ['bees.example'] }],
  });

  const { output, messages } = await agent.run('What do bees do?');
  // #endregion

  assert.equal(output, 'They fly.');
  assert.deepEqual(
    messages.at(-1)?.parts.map(({ kind }) => kind),
    ['native-tool-call', 'native-tool-return', 'text'],
  );
}

// 2. Native tools that depend on the run.
{
  const model = scriptedModel(says('I do not know.'), { supportsNative: ['web-search'] });

  // #region per-run
  interface Customer {
    readonly mayBrowse: boolean;
    readonly city: string;
  }

  const agent = new Agent({
    model,
    nativeTools: [
      ({ deps }: RunContext<Customer>) =>
        deps.mayBrowse ? { kind: 'web-search', userLocation: { city: deps.city } } : undefined,
    ],
  });

  await agent.run('Where can I eat?', { deps: { mayBrowse: false, city: 'Oslo' } });
  // #endregion

  assert.deepEqual(model.calls[0]?.nativeTools, []);
}

// 3. A function as the fallback of a native tool.
{
  // #region fallback
  const searchTheWeb = tool({
    name: 'search_the_web',
    description: 'Searches the web.',
    inputSchema: z.object({ query: z.string() }),
    unlessNative: 'web-search',
    execute: ({ query }) => searchWithApi(query),
  });

  const agent = new Agent({ nativeTools: [{ kind: 'web-search' }], tools: [searchTheWeb] });
  // #endregion

  const without = scriptedModel(calls('search_the_web', { query: 'bees' }), says('They fly.'));
  const withSearch = searching();
  for (const model of [without, withSearch]) {
    const { output } = await agent.run('What do bees do?', { model });
    assert.equal(output, 'They fly.');
  }
  const offered = ({ calls: [call] }: typeof without) =>
    call?.functionTools.map(({ name }) => name);
  assert.deepEqual(offered(without), ['search_the_web']);
  assert.deepEqual(offered(withSearch), []);
}

function searchWithApi(query: string): string[] {
  return [`https://${query}.example`];
}

// 4. A native tool that the model does not support.
{
  const model = scriptedModel(says('Hello.'));

  await assert.rejects(
    new Agent({ model, nativeTools: [{ kind: 'web-search' }] }).run('Hello?'),
    /does not support the native tool `web-search`/,
  );

  // #region optional
  const agent = new Agent({ model, nativeTools: [{ kind: 'web-search', optional: true }] });
  // #endregion

  const { output } = await agent.run('Hello?');
  assert.equal(output, 'Hello.');
}

// 5. Other tools of a provider.
{
  const model = scriptedModel(says('Done.'), { supportsNative: ['provider'] });

  // #region provider
  const agent = new Agent({
    model,
    nativeTools: [
      {
        kind: 'provider',
        id: 'anthropic.web_search_20260318',
        name: 'web_search',
        args: { maxUses: 3, responseInclusion: 'excluded' },
      },
    ],
  });
  // #endregion

  await agent.run('Search.');
  assert.equal(model.calls[0]?.nativeTools[0]?.kind, 'provider');
}
