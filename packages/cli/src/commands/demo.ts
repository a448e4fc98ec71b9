import { runDemo } from '../demo/run-demo.ts';
import { type Command, UsageError } from './command.ts';
import { readArguments } from './read-arguments.ts';

export const demo: Command = {
  name: 'demo',
  usage: 'demo [desk]',
  summary: 'watch an agent work, and decide what it may do',
  description: [
    'A desk is opened on a SQLite file, calls wait there, and you answer on its page, with a link that is',
    'printed, or from the command line. Then come five acts without a desk: an agent tidies up a folder,',
    'reads run, writes ask you, and so on. `holdpoint demo desk` is only the first, and leaves the desk',
    'open until Ctrl-C. Everything happens in a folder that is removed at the end.',
    '',
    'It needs no API key: the answers of the model are written down. With OPENAI_API_KEY or',
    'ANTHROPIC_API_KEY set and the package of the provider installed, a real model works instead;',
    'HOLDPOINT_MODEL names another one, such as openai:gpt-5, or is `scripted`.',
  ].join('\n'),
  async run(args) {
    const [part = 'all'] = readArguments(args, {}, { least: 0, most: 1 }).positionals;
    if (part !== 'all' && part !== 'desk') {
      throw new UsageError(`Unknown part: demo ${part}. Did you mean: demo desk?`);
    }
    return runDemo(part);
  },
};
