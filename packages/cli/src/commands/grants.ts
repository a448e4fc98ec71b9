import { atDesk, DESK_OPTIONS } from './at-desk.ts';
import type { Command } from './command.ts';
import { readArguments, readNumber } from './read-arguments.ts';

const options = {
  all: { kind: 'switch', help: 'also those that decide nothing any more' },
  revoke: { kind: 'text', value: '<grant-id>', help: 'ends one, from now on' },
  limit: { kind: 'text', value: '<number>', help: 'how many at most, up to 500; 50 unless given' },
  after: { kind: 'text', value: '<next>', help: 'goes on where a list has ended' },
  ...DESK_OPTIONS,
} as const;

export const grants: Command = {
  name: 'grants',
  usage: 'grants',
  summary: 'the approvals that were given in advance',
  description:
    'The latest come first. A grant lets calls run without anybody being asked, as far as those who gave it\n' +
    'could have approved them. The beginning of an id is enough to name one.',
  options,
  async run(args) {
    const { values } = readArguments(args, options, { least: 0, most: 0 });
    const { all = false, revoke, limit, after, json = false } = values;
    const query = {
      ...(all ? {} : { live: true }),
      limit: readNumber('limit', limit, { least: 1, most: 500 }),
      after,
    };
    return atDesk(values, async (client) => {
      const { listGrants, revokeGrant } = await import('../desk/list-grants.ts');
      return revoke === undefined
        ? listGrants(client, query, json)
        : revokeGrant(client, revoke, json);
    });
  },
};
