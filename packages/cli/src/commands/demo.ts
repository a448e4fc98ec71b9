import { runDemo } from '../demo/run-demo.ts';
import type { Command } from './command.ts';
import { positionals } from './positionals.ts';

export const demo: Command = {
  name: 'demo',
  usage: 'demo',
  summary: 'watch an agent work, and decide what it may do',
  description: [
    'An agent tidies up a folder that is made for it and removed at the end. Reads run, writes ask you,',
    'and so on. It needs no API key: the answers of the model are written down. With OPENAI_API_KEY or',
    'ANTHROPIC_API_KEY set and the package of the provider installed, a real model works instead;',
    'HOLDPOINT_MODEL names another one, such as openai:gpt-5, or is `scripted`.',
  ].join('\n'),
  async run(args) {
    positionals(args, 0);
    return runDemo();
  },
};
