import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, inherit, type PlainToolsets, type Tool, type Toolset } from 'holdpoint';
import { calls, reply, type ReplyLike } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { type PlainAgent, reporting } from '../support/sub-agents.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { type Delegate, delegations } from '../support/toolset-policies/observe.ts';
import { BrowserProgram, BrowserToolset } from '../support/toolsets-of-the-proposal/browser.ts';
import { CachedSearchToolset } from '../support/toolsets-of-the-proposal/cached-search.ts';
import {
  FileSystemToolset,
  type FolderOfSubAgents,
} from '../support/toolsets-of-the-proposal/file-system.ts';
import {
  Database,
  TransactionToolset,
  type TransactionOfSubAgents,
} from '../support/toolsets-of-the-proposal/transaction.ts';

/** Toolsets and scripts of two agents, of which one delegates to the other. */
interface Team {
  readonly lead: { readonly toolsets: PlainToolsets; readonly does: readonly ReplyLike[] };
  readonly sub: { readonly toolsets: PlainToolsets; readonly does: readonly ReplyLike[] };
}

/** The agent that delegates. What the tools of both return is what they say at the end. */
function teamOf(delegate: Delegate, { lead, sub }: Team): PlainAgent {
  const subAgent = new Agent<readonly Tool[]>({
    name: 'sub',
    model: reporting(...sub.does),
    toolsets: sub.toolsets,
  });
  return new Agent<readonly Tool[]>({
    name: 'lead',
    model: reporting(...lead.does),
    tools: [delegate(subAgent)],
    toolsets: lead.toolsets,
  });
}

const askSub = calls('sub', { prompt: 'Go on.' });

/** The ways to let the toolset itself decide what the sub-agent gets. */
const asTheToolsetSays: readonly [string, (make: () => Toolset, id: string) => Compositions][] = [
  [
    'the same instance on both agents',
    (make) => {
      const toolset = make();
      return { lead: [toolset], sub: [toolset] };
    },
  ],
  ['a factory, and inherit(id)', (make, id) => ({ lead: [make], sub: [inherit(id)] })],
];

interface Compositions {
  readonly lead: PlainToolsets;
  readonly sub: PlainToolsets;
}

describe.each(delegations)('delegating with $way', ({ delegate }) => {
  describe('the browser, of which sub-agents get a snapshot', () => {
    const program = () => new BrowserProgram();
    const does = [
      calls('go', { url: 'https://a.example' }),
      calls('scroll', { by: 300 }),
      askSub,
      calls('where'),
    ];
    const looksAround = [
      calls('where'),
      calls('go', { url: 'https://b.example' }),
      calls('scroll', { by: 50 }),
      calls('where'),
    ];

    it.each(asTheToolsetSays)('opens a window on the same page: %s', async (_what, compose) => {
      const windows = program();
      const { lead, sub } = compose(() => new BrowserToolset(windows), 'browser');
      const agent = teamOf(delegate, {
        lead: { toolsets: lead, does },
        sub: { toolsets: sub, does: looksAround },
      });

      const { output } = await agent.run('Go.');

      expect(output.split('; ')).toEqual([
        'window 2: https://a.example at 0',
        'window 2: https://b.example at 50',
        'window 1: https://a.example at 300',
      ]);
      expect(windows.windows).toEqual({ open: 0, ever: 2 });
    });

    it('opens one for each of two sub-agents at the same time', async () => {
      const windows = program();
      const agent = teamOf(delegate, {
        lead: {
          toolsets: [() => new BrowserToolset(windows)],
          does: [calls('go', { url: 'https://a.example' }), reply(askSub, askSub), calls('where')],
        },
        sub: { toolsets: [inherit('browser')], does: looksAround.slice(1) },
      });

      const { output } = await agent.run('Go.');

      expect(output.split('; ')).toEqual([
        'window 2: https://b.example at 50',
        'window 3: https://b.example at 50',
        'window 1: https://a.example at 0',
      ]);
    });

    it.each<[string, string, (make: () => Toolset) => PlainToolsets[number][]]>([
      [
        'the page of the run above it, with inherit(id)',
        'https://b.example',
        (make) => [make, inherit('browser'), inherit('browser')],
      ],
      [
        'the page of the instance that all agents have',
        'https://a.example',
        (make) => {
          const browser = make();
          return [browser, browser, browser];
        },
      ],
    ])('opens for an agent further down %s', async (_what, url, compose) => {
      const windows = program();
      const [lead, sub, nested] = compose(() => new BrowserToolset(windows));
      const nestedAgent = new Agent<readonly Tool[]>({
        name: 'nested',
        model: reporting(calls('where')),
        toolsets: [nested!],
      });
      const subAgent = new Agent<readonly Tool[]>({
        name: 'sub',
        model: reporting(
          calls('go', { url: 'https://b.example' }),
          calls('nested', { prompt: 'Go on.' }),
        ),
        tools: [delegate(nestedAgent)],
        toolsets: [sub!],
      });
      const agent = new Agent({
        model: reporting(calls('go', { url: 'https://a.example' }), askSub),
        tools: [delegate(subAgent)],
        toolsets: [lead!],
      });

      const { output } = await agent.run('Go.');

      expect(output).toBe(`window 3: ${url} at 0`);
      expect(windows.windows).toEqual({ open: 0, ever: 3 });
    });

    it('opens an empty window where a factory forces that', async () => {
      const windows = program();
      const fresh = [() => new BrowserToolset(windows)];
      const agent = teamOf(delegate, {
        lead: { toolsets: fresh, does },
        sub: { toolsets: fresh, does: [calls('where')] },
      });

      const { output } = await agent.run('Go.');

      expect(output.split('; ')).toEqual([
        'window 2: about:blank at 0',
        'window 1: https://a.example at 300',
      ]);
    });

    it.each<[string, (windows: BrowserProgram) => Compositions]>([
      [
        'a factory that gives the same instance',
        (windows) => {
          const browser = new BrowserToolset(windows);
          return { lead: [browser], sub: [() => browser] };
        },
      ],
      [
        'inherit(id, { share: true })',
        (windows) => ({
          lead: [() => new BrowserToolset(windows)],
          sub: [inherit('browser', { share: true })],
        }),
      ],
    ])('is one window for both where %s forces that', async (_what, compose) => {
      const windows = program();
      const { lead, sub } = compose(windows);
      const agent = teamOf(delegate, {
        lead: { toolsets: lead, does },
        sub: { toolsets: sub, does: looksAround },
      });

      const { output } = await agent.run('Go.');

      expect(output.split('; ')).toEqual([
        'window 1: https://a.example at 300',
        'window 1: https://b.example at 50',
        'window 1: https://b.example at 50',
      ]);
      expect(windows.windows).toEqual({ open: 0, ever: 1 });
    });
  });

  describe('the transaction, which is shared or new as it was made', () => {
    const team = (toolsets: Compositions, commits: 'lead' | 'sub') =>
      teamOf(delegate, {
        lead: {
          toolsets: toolsets.lead,
          does: [
            calls('put', { key: 'lead', value: '1' }),
            askSub,
            calls('get', { key: 'sub' }),
            ...(commits === 'lead' ? [calls('commit')] : []),
          ],
        },
        sub: {
          toolsets: toolsets.sub,
          does: [
            calls('get', { key: 'lead' }),
            calls('put', { key: 'sub', value: '2' }),
            ...(commits === 'sub' ? [calls('commit')] : []),
          ],
        },
      });

    it.each(asTheToolsetSays)('shared: one commit is for both: %s', async (_what, compose) => {
      const database = new Database();
      const make = () => new TransactionToolset(database, { subAgents: 'shared' });

      const { output } = await team(compose(make, 'transaction'), 'lead').run('Go.');

      expect(output).toBe('1; 2');
      expect(database.rows).toEqual({ lead: '1', sub: '2' });
      expect([database.mostInUse, database.inUse]).toEqual([1, 0]);
    });

    it.each(asTheToolsetSays)(
      'own: neither sees what the other did: %s',
      async (_what, compose) => {
        const database = new Database();
        const make = () => new TransactionToolset(database, { subAgents: 'own' });

        const { output } = await team(compose(make, 'transaction'), 'sub').run('Go.');

        expect(output).toBe('nothing; 2');
        expect(database.rows).toEqual({ sub: '2' });
        expect([database.mostInUse, database.inUse]).toEqual([2, 0]);
      },
    );

    it.each<[string, TransactionOfSubAgents, string, number]>([
      ['a factory makes a new one of what would be shared', 'shared', 'nothing; 2', 2],
      ['share: true shares what would be new', 'own', '1; 2', 1],
    ])('is overridden at composition: %s', async (_what, subAgents, output, connections) => {
      const database = new Database();
      const make = () => new TransactionToolset(database, { subAgents });
      const sub = subAgents === 'shared' ? make : inherit('transaction', { share: true });

      const result = await team({ lead: [make], sub: [sub] }, 'sub').run('Go.');

      expect(result.output).toBe(output);
      expect([database.mostInUse, database.inUse]).toEqual([connections, 0]);
    });

    it('does not undo for a sub-agent that fails what it did in a shared one', async () => {
      const database = new Database();
      const make = () => new TransactionToolset(database, { subAgents: 'shared' });
      const agent = teamOf(delegate, {
        lead: { toolsets: [make], does: [askSub] },
        sub: {
          toolsets: [inherit('transaction')],
          does: [
            calls('put', { key: 'sub', value: '2' }),
            calls('commit'),
            calls('no_such_tool'),
            calls('no_such_tool'),
          ],
        },
      });

      await expect(agent.run('Go.')).rejects.toThrow(/no_such_tool/);

      expect(database.rows).toEqual({ sub: '2' });
      expect(database.inUse).toBe(0);
    });
  });

  describe('the cache, which is shared', () => {
    const search = (query: string) => calls('search', { query });
    const team = (toolsets: Compositions) =>
      teamOf(delegate, {
        lead: { toolsets: toolsets.lead, does: [search('a'), askSub, search('b')] },
        sub: { toolsets: toolsets.sub, does: [search('a'), search('b')] },
      });
    const counting = () => {
      const lookedUp: string[] = [];
      const make = () =>
        new CachedSearchToolset(async (query) => {
          lookedUp.push(query);
          return query.toUpperCase();
        });
      return { lookedUp, make };
    };

    it.each(asTheToolsetSays)('keeps its warmth in both directions: %s', async (_what, compose) => {
      const { lookedUp, make } = counting();

      const { output } = await team(compose(make, 'search')).run('Go.');

      expect(output).toBe('A; A; B; B');
      expect(lookedUp).toEqual(['a', 'b']);
    });

    it('is as warm in the next run where it is one instance, and cold where a factory makes it', async () => {
      const [one, made] = [counting(), counting()];
      const instance = one.make();
      const shared = team({ lead: [instance], sub: [instance] });
      const perRun = team({ lead: [made.make], sub: [inherit('search')] });

      for (const agent of [shared, shared, perRun, perRun]) await agent.run('Go.');

      expect(one.lookedUp).toEqual(['a', 'b']);
      expect(made.lookedUp).toEqual(['a', 'b', 'a', 'b']);
    });

    it('is cold for the sub-agent where a factory forces that', async () => {
      const { lookedUp, make } = counting();

      await team({ lead: [make], sub: [make] }).run('Go.');

      expect(lookedUp).toEqual(['a', 'a', 'b', 'b']);
    });
  });

  describe('the file system, by its configuration', () => {
    const team = (toolsets: Compositions) =>
      teamOf(delegate, {
        lead: {
          toolsets: toolsets.lead,
          does: [
            calls('enter', { folder: 'project' }),
            askSub,
            calls('write', { file: 'lead.txt', text: 'lead' }),
            calls('list'),
          ],
        },
        sub: {
          toolsets: toolsets.sub,
          does: [
            calls('list'),
            calls('enter', { folder: 'notes' }),
            calls('write', { file: 'sub.txt', text: 'sub' }),
          ],
        },
      });
    const filesBelow = async (root: string) => {
      const found = await readdir(root, { recursive: true, withFileTypes: true });
      return found
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .toSorted();
    };

    describe.each(asTheToolsetSays)('%s', (_what, compose) => {
      it.each<[FolderOfSubAgents, string[], string[]]>([
        // Where the sub-agent goes, the other run is afterwards.
        [
          'shared',
          ['project: ', 'project/notes: lead.txt sub.txt'],
          ['project/notes/lead.txt', 'project/notes/sub.txt'],
        ],
        // The sub-agent starts where the other run is, which stays there.
        [
          'own',
          ['project: ', 'project: lead.txt notes'],
          ['project/lead.txt', 'project/notes/sub.txt'],
        ],
        // The sub-agent has a folder by its name.
        ['named', ['sub: ', 'project: lead.txt'], ['project/lead.txt', 'sub/notes/sub.txt']],
      ])('%s', async (subAgents, said, files) => {
        await using folder = await tempFolder('files');
        const make = () => new FileSystemToolset({ root: folder.path, subAgents });

        const { output } = await team(compose(make, 'files')).run('Go.');

        expect(output.split('; ')).toEqual(said);
        expect(await filesBelow(folder.path)).toEqual(files);
      });
    });

    it.each<[string, FolderOfSubAgents, (make: () => Toolset) => PlainToolsets[number], string[]]>([
      [
        'a factory forces a fresh one',
        'shared',
        (make) => make,
        ['.: project', 'project: lead.txt'],
      ],
      [
        'share: true forces the same one',
        'own',
        () => inherit('files', { share: true }),
        ['project: ', 'project/notes: lead.txt sub.txt'],
      ],
    ])('is overridden at composition: %s', async (_what, subAgents, sub, said) => {
      await using folder = await tempFolder('files');
      const make = () => new FileSystemToolset({ root: folder.path, subAgents });

      const { output } = await team({ lead: [make], sub: [sub(make)] }).run('Go.');

      expect(output.split('; ')).toEqual(said);
    });

    it('does not leave its folder, whoever uses it', async () => {
      await using folder = await tempFolder('files');
      const make = () => new FileSystemToolset({ root: folder.path, subAgents: 'own' });
      const agent = teamOf(delegate, {
        lead: { toolsets: [make], does: [askSub] },
        sub: { toolsets: [inherit('files')], does: [calls('enter', { folder: '../..' })] },
      });

      expect((await agent.run('Go.')).output).toBe('retry enter');
    });
  });
});
