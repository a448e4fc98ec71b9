import type { DurabilityOptions } from '../../agent/agent-options.ts';
import type { RunStream } from '../../agent/run-stream.ts';
import { invariant } from '../../internal/invariant.ts';
import type { UserPrompt } from '../../messages/content.ts';
import type { SealedRuns } from '../sealed/sealed-runs.ts';
import { SealedRunError } from '../sealed/sealed-run-error.ts';
import type { ChatAccess, ChatBackend } from './chat-backend.ts';
import type { AgentChatOptions, LoadChat, SaveChat } from './chat-options.ts';
import { ChatProblem } from './read-request.ts';
import { type ChatStorage, RunBackend, type TurnStart } from './run-backend.ts';

/** Returns the backend that executes the runs of an agent. */
export function agentBackend<Access extends ChatAccess>(
  options: AgentChatOptions<Access>,
): ChatBackend<Access> {
  const { agent, sealed, load, save, runOptions } = options;
  const storage =
    sealed === undefined
      ? storedChats(
          invariant(load, '`load` was validated'),
          invariant(save, '`save` was validated'),
        )
      : sealedChats(sealed);
  return new RunBackend({
    storage,
    start: (access, prompt, given) => startTurn(agent, prompt, given, runOptions?.(access)),
  });
}

/** The options of the application that the handler adds to. */
interface OwnOptions {
  readonly durability?: DurabilityOptions | undefined;
  readonly toolsets?: readonly object[] | undefined;
}

function startTurn(
  agent: AgentChatOptions<ChatAccess>['agent'],
  prompt: UserPrompt | undefined,
  { clientTools, ...given }: TurnStart,
  own: OwnOptions = {},
): RunStream {
  const ledger = given.durability?.ledger ?? own.durability?.ledger;
  const durability = { ...own.durability, ...(ledger && { ledger }), mayPark: true };
  const toolsets = [...(own.toolsets ?? []), ...(clientTools === undefined ? [] : [clientTools])];
  const options = { ...own, ...given, toolsets, durability, events: { subAgents: true } };
  // The signatures of the handlers compare the options with the agent.
  return agent.stream(prompt, ...([options] as never)) as RunStream;
}

/** Returns a storage that calls functions of the application. */
function storedChats<Access extends ChatAccess>(
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
function sealedChats<Access extends ChatAccess>(
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
