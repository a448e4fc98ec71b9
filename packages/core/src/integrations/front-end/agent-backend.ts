import type { DurabilityOptions } from '../../agent/agent-options.ts';
import type { RunStream } from '../../agent/run-stream.ts';
import { invariant } from '../../internal/invariant.ts';
import type { UserPrompt } from '../../messages/content.ts';
import type { ChatAccess, ChatBackend } from './chat-backend.ts';
import type { AgentChatOptions } from './chat-options.ts';
import { sealedChats, storedChats } from './chat-storage.ts';
import { RunBackend, type TurnStart } from './run-backend.ts';

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
