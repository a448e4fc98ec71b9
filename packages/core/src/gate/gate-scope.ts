import type { HookSet } from '../capabilities/hook-set.ts';
import type { RunFacts } from '../context/context.ts';
import type { ModelResponse } from '../messages/message.ts';
import type { OutputPlan } from '../output/output-plan.ts';
import type { ToolMap } from '../toolsets/toolset.ts';
import type { VerifyApproval } from './approval.ts';
import type { LedgerClient } from './claim-plan.ts';

/**
 * The parts of a run that the gate needs.
 *
 * The deps have the type `never`, which every tool accepts. The agent has ensured that they are what its tools need.
 */
export interface GateScope extends RunFacts<never> {
  /** The response whose calls are submitted. */
  readonly lastResponse: ModelResponse | undefined;
  /** The tools of the current step. */
  readonly tools: ToolMap<never>;
  readonly outputPlan: OutputPlan;
  /** Retries of a tool that does not set its own number. */
  readonly toolRetries: number;
  readonly hooks: HookSet;
  /** Hidden tools that the model has tried to call. */
  readonly calledHiddenTools: Set<string>;
  /** The claims of the run; `undefined` without a ledger. */
  readonly claims: LedgerClient | undefined;
  /** The reaction to an approved call that drifted: request a new approval, or deny it. */
  readonly onDrift: 'ask' | 'deny';
  /** The functions that verify an approved call before it executes; all of them must accept it. */
  readonly approvalVerifiers: readonly VerifyApproval[];
  /** The ids of the calls that delegated to the agent of this run, the outermost first. */
  readonly path: readonly string[];
}
