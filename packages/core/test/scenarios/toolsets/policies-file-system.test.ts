import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inherit, type Toolset } from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../support/temp-folder.ts';
import { delegations } from '../../support/toolset-policies/observe.ts';
import {
  askSub,
  byToolset,
  type Compositions,
  teamOf,
} from '../../support/toolset-policies/team.ts';
import {
  FileSystemToolset,
  type FolderOfSubAgents,
} from '../../support/toolsets-of-the-proposal/file-system.ts';

describe.each(delegations)('delegating with $way', ({ delegate }) => {
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
    const filesIn = async (root: string) => {
      const found = await readdir(root, { recursive: true, withFileTypes: true });
      return found
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .toSorted();
    };

    describe.each(byToolset)('%s', (_what, compose) => {
      it.each<[FolderOfSubAgents, string[], string[]]>([
        // The sub-agent changes the current folder of the outer run.
        [
          'shared',
          ['project: ', 'project/notes: lead.txt sub.txt'],
          ['project/notes/lead.txt', 'project/notes/sub.txt'],
        ],
        // The sub-agent starts in the current folder of the outer run, which does not change.
        [
          'own',
          ['project: ', 'project: lead.txt notes'],
          ['project/lead.txt', 'project/notes/sub.txt'],
        ],
        // The sub-agent has a folder with its name.
        ['named', ['sub: ', 'project: lead.txt'], ['project/lead.txt', 'sub/notes/sub.txt']],
      ])('%s', async (subAgents, said, files) => {
        await using folder = await tempFolder('files');
        const make = () => new FileSystemToolset({ root: folder.path, subAgents });

        const { output } = await team(compose(make, 'files')).run('Go.');

        expect(output.split('; ')).toEqual(said);
        expect(await filesIn(folder.path)).toEqual(files);
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

    it('does not leave its folder, for any user', async () => {
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
