import {
  checkRequiredOptions,
  invalidOption,
  type OptionKind,
  type OptionTable,
} from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { ChatAccess } from './chat-backend.ts';
import type { AgentChatOptions, ChatBackendOptions } from './chat-options.ts';

type AnyOptions = AgentChatOptions<ChatAccess> &
  Partial<Pick<ChatBackendOptions<ChatAccess>, 'backend'>>;

const HANDLER_OPTIONS: OptionTable<AnyOptions> = {
  agent: 'value',
  backend: 'object',
  authorize: 'function',
  load: 'function',
  save: 'function',
  sealed: 'function',
  runOptions: 'function',
  onPendingCalls: ['error', 'cancel'],
  onDisconnect: ['continue', 'stop'],
  maxBodyBytes: 'number',
  allowFileUrl: 'function',
  onError: 'function',
};

/** Validates the options of a handler, so that a mistake fails when the server starts. */
export function checkHandlerOptions(
  handler: string,
  options: object,
  further: Readonly<Record<string, OptionKind>> = {},
): void {
  const owner = `\`${handler}\``;
  checkRequiredOptions(owner, options, { ...HANDLER_OPTIONS, ...further });
  // The names and kinds of the options were validated.
  const given = options as Partial<AnyOptions>;
  if (given.authorize === undefined) {
    throw new UserError(
      'Without `authorize`, every caller could read and continue every conversation. ' +
        `Pass \`authorize\` to ${owner}.`,
    );
  }
  const { maxBodyBytes } = given;
  if (maxBodyBytes !== undefined && !(maxBodyBytes > 0)) {
    throw invalidOption(owner, 'maxBodyBytes', maxBodyBytes, 'a number of bytes above 0');
  }
  checkStorage(owner, given);
}

function checkStorage(owner: string, options: Partial<AnyOptions>): void {
  const { agent, backend, load, save, sealed, runOptions } = options;
  const own = [agent, load, save, sealed, runOptions].some((option) => option !== undefined);
  if (backend !== undefined) {
    if (!own) return;
    throw new UserError(
      'A `backend` executes the runs itself. Pass either `backend`, or `agent` and its storage.',
    );
  }
  if (typeof agent?.stream !== 'function') {
    throw new UserError(
      `${owner} has no agent whose runs it could show. Pass \`agent\` or \`backend\`.`,
    );
  }
  const isStored = load !== undefined && save !== undefined;
  const isMixed = sealed !== undefined && (load !== undefined || save !== undefined);
  if ((isStored || sealed !== undefined) && !isMixed) return;
  throw new UserError(
    `The conversations of ${owner} need one storage. Pass \`load\` and \`save\`, or \`sealed\`.`,
  );
}
