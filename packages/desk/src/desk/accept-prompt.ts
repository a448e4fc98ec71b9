import type { UserPrompt } from 'holdpoint';
import { DeskError } from '../errors/desk-error.ts';
import { checkOptions } from '../model/check-keys.ts';
import { hashOf } from '../model/hash.ts';
import { acceptMessage } from '../transitions/accept-message.ts';
import { type NewInput, requesterKeyOf } from '../transitions/accept-once.ts';
import { startRun } from '../transitions/start-run.ts';
import { checkPerson } from './check-decision.ts';
import { checkName } from './check-name.ts';
import type { DeskContext } from './desk-context.ts';
import {
  MESSAGE_OPTIONS,
  type MessageOptions,
  requireOneOf,
  requirePrompt,
  START_OPTIONS,
  type StartOptions,
} from './method-options.ts';
import { promptBeginning, toPromptText } from './prompt-text.ts';

/** Validates and stores a new run, and returns its id. */
export async function acceptRun(
  { store, names }: DeskContext,
  tenant: string,
  agent: string,
  prompt: UserPrompt,
  options: StartOptions,
): Promise<string> {
  if (!names.has(checkName('name of the agent', agent))) throw unknownAgent(agent, names);
  checkOptions<StartOptions>('`desk.start`', options, START_OPTIONS);
  requirePrompt('start', prompt);
  const conversationId =
    options.conversationId === undefined
      ? undefined
      : checkName('conversationId', options.conversationId);
  const input = inputOf(prompt, options);
  const about = [agent, conversationId ?? null, ...hashedParts(input)];
  const startHash = hashOf('holdpoint/start/2', ...about);
  const { id } = await startRun(store, tenant, { ...input, agent, conversationId, startHash });
  return id;
}

/** Validates and stores a message of a conversation, and returns the id of the run that receives it. */
export async function acceptPrompt(
  { store }: DeskContext,
  tenant: string,
  conversationId: string,
  prompt: UserPrompt,
  options: MessageOptions,
): Promise<string> {
  checkOptions<MessageOptions>('`desk.message`', options, MESSAGE_OPTIONS);
  requirePrompt('message', prompt);
  const { onOpenHolds = 'reject' } = options;
  requireOneOf('onOpenHolds', onOpenHolds, ['reject', 'supersede']);
  checkName('conversationId', conversationId);
  const input = inputOf(prompt, options);
  const hash = hashOf('holdpoint/message/2', conversationId, ...hashedParts(input));
  const message = { ...input, hash, conversationId, onOpenHolds };
  return (await acceptMessage(store, tenant, message)).id;
}

function inputOf(prompt: UserPrompt, options: MessageOptions): Omit<NewInput, 'hash'> {
  const { requester, idempotencyKey } = options;
  return {
    input: toPromptText(prompt),
    prompt: promptBeginning(prompt),
    requester: requester === undefined ? undefined : checkPerson('the requester', requester),
    // A key that was lost, such as an empty text, would make each retry another run.
    idempotencyKey:
      idempotencyKey === undefined ? undefined : checkName('idempotencyKey', idempotencyKey),
  };
}

/** The parts of an input that every retry of it has in common. */
function hashedParts({ input, requester }: Omit<NewInput, 'hash'>): readonly string[] {
  return [input, requesterKeyOf(requester)];
}

function unknownAgent(name: string, names: ReadonlySet<string>): DeskError {
  return new DeskError(
    'unknown-agent',
    `There is no agent \`${name}\` at this desk. Use one of: ${[...names].join(', ')}.`,
  );
}
