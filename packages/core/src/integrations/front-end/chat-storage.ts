import type { Message } from '../../messages/message.ts';
import type { SealedRuns } from '../sealed/sealed-runs.ts';
import { SealedRunError } from '../sealed/sealed-run-error.ts';
import type { ChatAccess } from './chat-backend.ts';
import { ChatProblem } from './chat-problem.ts';
import type { ChatStorage } from './run-backend.ts';

/** Returns the stored messages of a conversation; `undefined` if it is new. */
export type LoadChat<Access> = (
  access: Access,
) => Promise<readonly Message[] | undefined> | readonly Message[] | undefined;

/** Stores the messages of a conversation in place of the earlier ones. */
export type SaveChat<Access> = (
  access: Access,
  messages: readonly Message[],
) => Promise<void> | void;

/** Returns a storage that calls functions of the application. */
export function storedChats<Access extends ChatAccess>(
  load: LoadChat<Access>,
  save: SaveChat<Access>,
): ChatStorage<Access> {
  return {
    async load(access) {
      const messages = (await load(access)) ?? [];
      return {
        messages,
        resumeOptions: async (results) => ({
          messageHistory: messages,
          deferredToolResults: results,
        }),
      };
    },
    async save(access, messages) {
      await save(access, messages);
      return undefined;
    },
  };
}

/** Returns a storage that gives the client an encrypted token of its conversation. */
export function sealedChats<Access extends ChatAccess>(
  sealedFor: (access: Access) => SealedRuns,
): ChatStorage<Access> {
  return {
    async load(access, token) {
      if (token === undefined) {
        const resumeOptions = async () => {
          throw new ChatProblem(409, 'The conversation has no pending call.');
        };
        return { messages: [], resumeOptions };
      }
      const sealed = sealedFor(access);
      const { messageHistory } = await openToken(sealed.continueOptions(token));
      return {
        messages: messageHistory,
        resumeOptions: (results) => openToken(sealed.resumeOptions(token, results)),
      };
    },
    save: async (access, messages) => sealedFor(access).seal({ messages }),
  };
}

/** Rejects a token without the reason, which would help an attacker. */
async function openToken<Content>(opening: Promise<Content>): Promise<Content> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof SealedRunError) || error.problem === 'replayable') throw error;
    throw new ChatProblem(403, 'This conversation is not valid or has expired. Start a new one.');
  }
}
