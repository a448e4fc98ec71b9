import type { AgentContext } from '@agentclientprotocol/sdk';
import type { TurnUpdates } from './turn-updates.ts';

/** The turn that approval requests and questions belong to. */
export interface TurnContext {
  readonly sessionId: string;
  readonly client: AgentContext;
  /** True if the editor can show forms. */
  readonly hasForms: boolean;
  readonly updates: TurnUpdates;
  readonly signal: AbortSignal;
  /** Cancels the turn. */
  readonly cancel: () => void;
}
