import { readSignInFlags, SIGN_IN_OPTIONS } from '../desk/sign-in-flags.ts';
import type { Command } from './command.ts';
import { readArguments, readNumber } from './read-arguments.ts';

const options = {
  port: { kind: 'text', value: '<number>', help: '4680 unless given; 0 for any that is free' },
  host: { kind: 'text', value: '<name>', help: '127.0.0.1 unless given' },
  ...SIGN_IN_OPTIONS,
} as const;

const DEFAULT_PORT = 4680;
const DEFAULT_HOST = '127.0.0.1';

export const desk: Command = {
  name: 'desk',
  usage: 'desk <desk-file>',
  summary: 'serve a desk, and work for it',
  description: [
    'The file is a module, JavaScript or TypeScript, whose default export is what openDesk takes:',
    '{ store, agents, authorize, http }, or a desk, which is what it gives. Without an authorize, whoever has',
    'the token that is printed here, or HOLDPOINT_TOKEN, is let in as the user of this machine, and only from',
    'this machine. For a browser there is a link that lets them in once. With --oidc-issuer people sign in',
    'with that provider instead; the secret of the desk there is in HOLDPOINT_OIDC_CLIENT_SECRET.',
    '',
    'Runs are worked on in the same process. Ctrl-C stops it cleanly: runs end the step that they are at, and',
    'others can go on with them.',
  ].join('\n'),
  options,
  async run(args) {
    const { values, positionals } = readArguments(args, options, {
      least: 1,
      most: 1,
      names: ['<desk-file>'],
    });
    const [path = ''] = positionals;
    const { host = DEFAULT_HOST } = values;
    const port = readNumber('port', values.port, { least: 0, most: 65_535 }) ?? DEFAULT_PORT;
    const { serveDesk } = await import('../desk/serve-desk.ts');
    return serveDesk(path, { host, port, ...readSignInFlags(values, process.env) });
  },
};
