import type { HoldQuery } from '@holdpoint/desk/client';
import { atDesk, DESK_OPTIONS, PAGE_OPTIONS } from './at-desk.ts';
import type { Command } from './command.ts';
import { readArguments, readNumber } from './read-arguments.ts';

const options = {
  run: { kind: 'text', value: '<run-id>', help: 'only those of this run' },
  search: { kind: 'text', value: '<text>', help: 'only those in which this text occurs' },
  ...PAGE_OPTIONS,
  ...DESK_OPTIONS,
} as const;

export const holds: Command = {
  name: 'holds',
  usage: 'holds [hold-id]',
  summary: 'the calls that wait at a desk, or one of them whole',
  description: [
    'Those that have waited longest come first. The beginning of an id is enough to name one.',
    'States are open (unless --state is given), decided, expired, superseded, cancelled, consumed.',
  ].join('\n'),
  options,
  async run(args) {
    const { values, positionals } = readArguments(args, options, { least: 0, most: 1 });
    const { run, search, state, limit, after, json = false } = values;
    const [holdId] = positionals;
    const query = {
      ...(run !== undefined && { runId: run }),
      ...(search !== undefined && { text: search }),
      // The desk says which states there are.
      ...(state !== undefined && { states: state as HoldQuery['states'] }),
      limit: readNumber('limit', limit, { least: 1, most: 500 }),
      after,
    };
    return atDesk(values, async (client) => {
      const { listHolds, showOneHold } = await import('../desk/list-holds.ts');
      return holdId === undefined
        ? listHolds(client, query, json)
        : showOneHold(client, holdId, json);
    });
  },
};
