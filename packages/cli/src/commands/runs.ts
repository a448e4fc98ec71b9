import type { RunQuery } from '@holdpoint/desk/client';
import { atDesk, DESK_OPTIONS, PAGE_OPTIONS } from './at-desk.ts';
import type { Command } from './command.ts';
import { readArguments, readNumber } from './read-arguments.ts';

const options = { ...PAGE_OPTIONS, ...DESK_OPTIONS } as const;

export const runs: Command = {
  name: 'runs',
  usage: 'runs [run-id]',
  summary: 'the runs of a desk, or one of them with what came of it',
  description: [
    'The latest come first. The beginning of an id is enough to name one.',
    'States are ready, running, parked, finished, failed, cancelled, stuck.',
  ].join('\n'),
  options,
  async run(args) {
    const { values, positionals } = readArguments(args, options, { least: 0, most: 1 });
    const { state, limit, after, json = false } = values;
    const [runId] = positionals;
    const query = {
      // The desk says which states there are.
      ...(state !== undefined && { states: state as RunQuery['states'] }),
      limit: readNumber('limit', limit, { least: 1, most: 500 }),
      after,
    };
    return atDesk(values, async (client) => {
      const { listRuns, showOneRun } = await import('../desk/list-runs.ts');
      return runId === undefined ? listRuns(client, query, json) : showOneRun(client, runId, json);
    });
  },
};
