import type { AgentContext, StopReason } from '@agentclientprotocol/sdk';

/** The editor that sent a prompt. */
export interface EditorContext {
  readonly client: AgentContext;
  /** True if the editor can show forms. */
  readonly hasForms: boolean;
  /** Aborts when the editor disconnects. */
  readonly connection: AbortSignal;
}

/** A conversation in an editor. */
export interface AcpSession {
  readonly id: string;
  /** True while a prompt is in progress. */
  readonly isBusy: boolean;
  /** Stops the prompt that is in progress. */
  cancel(): void;
  /** Sends the conversation so far to the editor. */
  replay(client: AgentContext): Promise<void>;
  /** Runs the agent with a prompt; returns the reason for the end of the turn. */
  prompt(text: string, editor: EditorContext): Promise<StopReason>;
}

/** The conversations of an agent. */
export interface SessionSource {
  /** The name of the agent. */
  readonly name: string;
  create(): AcpSession;
  /** Loads a conversation. Returns `undefined` if it does not exist. */
  load(sessionId: string): Promise<AcpSession | undefined>;
}
