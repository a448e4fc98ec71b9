import { UserError } from 'holdpoint';
import { converse } from '../chat/converse.ts';
import { loadAgent } from '../chat/load-agent.ts';
import { isTerminal } from '../terminal/terminal-streams.ts';
import type { Command } from './command.ts';
import { readArguments } from './read-arguments.ts';

export const chat: Command = {
  name: 'chat',
  usage: 'chat <agent-file>',
  summary: 'talk to an agent; calls that need an answer are asked',
  description: [
    'The file is a module, JavaScript or TypeScript, whose default export is an Agent, or which exports',
    'exactly one. What it exports as `deps` is given to the agent, or what that gives if it is a function.',
    '',
    'Type /exit, or press Ctrl-C twice, to leave.',
  ].join('\n'),
  async run(args) {
    const [path = ''] = readArguments(
      args,
      {},
      { least: 1, most: 1, names: ['<agent-file>'] },
    ).positionals;
    const streams = { input: process.stdin, output: process.stdout };
    if (!isTerminal(streams.input) || !isTerminal(streams.output)) {
      throw new UserError('A conversation needs a terminal (TTY) at the input and the output.');
    }
    return converse(await loadAgent(path), streams);
  },
};
