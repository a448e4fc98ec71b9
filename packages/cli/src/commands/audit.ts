import { atDesk, DESK_OPTIONS } from './at-desk.ts';
import { type Command, UsageError } from './command.ts';
import { readArguments } from './read-arguments.ts';

const options = {
  checkpoint: {
    kind: 'texts',
    value: '<file>',
    help: 'a signed checkpoint that was kept elsewhere, or several, as JSON',
  },
  key: { kind: 'texts', value: '<id>=<file>', help: 'the public key of checkpoints, as PEM' },
  ...DESK_OPTIONS,
  tenant: { kind: 'text', value: '<id>', help: 'whose audit it must be; yours unless given' },
} as const;

export const audit: Command = {
  name: 'audit',
  usage: 'audit verify <run-id>',
  summary: 'find out whether the audit of a run was tampered with',
  description: [
    'Every entry is hashed with the one before. An entry that was edited, moved or taken out is found; what',
    'was written anew, hashes and all, is found up to the last checkpoint that is given. It says what it',
    'cannot see. Exit code 0 if the audit is intact.',
  ].join('\n'),
  options,
  async run(args) {
    const { values, positionals } = readArguments(args, options, {
      least: 2,
      most: 2,
      names: ['verify', '<run-id>'],
    });
    const { checkpoint: checkpoints = [], key = [], json: isJson = false, ...said } = values;
    const [verb = '', runId = ''] = positionals;
    if (verb !== 'verify') {
      throw new UsageError(`Unknown subcommand: audit ${verb}. Did you mean: audit verify?`);
    }
    const { tenant, ...rest } = said;
    const keys = Object.fromEntries(key.map(readKey));
    return atDesk(said.store === undefined ? rest : said, async (client) => {
      const { verifyRun } = await import('../desk/verify-run.ts');
      return verifyRun(client, { runId, tenant, checkpoints, keys, isJson });
    });
  },
};

function readKey(text: string): readonly [id: string, path: string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new UsageError(`'${text}' does not say which key it is: --key <id>=<file>.`);
}
