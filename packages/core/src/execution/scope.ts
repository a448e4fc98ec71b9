import type { RunFacts } from '../context/context.ts';
import type { Environment } from '../context/environment.ts';
import type { ModelResponse } from '../messages/message.ts';
import type { OutputPlan } from '../output/output-plan.ts';
import type { ToolMap } from '../toolsets/toolset.ts';
import type { UsageLimits } from '../usage/limits.ts';
import type { HookSet } from '../capabilities/hook-set.ts';
import type { ToolEvent } from '../capabilities/events.ts';
import type { ClaimScope } from './claim.ts';
import type { RetryCounter } from './retry-counter.ts';
import type { VerifyApproval } from './approval.ts';

/** How the calls of one response run. */
export type ParallelMode = 'parallel' | 'sequential' | 'parallel-ordered-events';

/**
 * What executing tools needs of a run.
 *
 * Below the agent nobody looks at the application's deps: they have the type `never`, which every
 * tool accepts. The agent has made sure that they are what its tools need.
 */
export interface ExecutionScope extends RunFacts<never> {
  readonly environment: Environment;
  /** The response whose calls are worked on. */
  readonly lastResponse: ModelResponse | undefined;
  readonly limits: UsageLimits | undefined;
  /** The tools of the current step. */
  readonly tools: ToolMap<never>;
  readonly outputPlan: OutputPlan;
  readonly counter: RetryCounter;
  /** Notes that tools were surfaced; gives those that were not before. */
  reveal(toolNames: readonly string[]): readonly string[];
  /** Hidden tools that the model has tried to call. */
  readonly toldHidden: Set<string>;
  /** Retries of a tool that says nothing of its own. */
  readonly toolRetries: number;
  /** Retries of the output. */
  readonly outputRetries: number;
  /** Retries of the output so far. */
  readonly outputRetriesUsed: number;
  readonly toolTimeout: number | undefined;
  readonly parallelMode: ParallelMode;
  readonly hooks: HookSet;
  /** Where it is kept what was run; `undefined` if nobody keeps it. */
  readonly claims: ClaimScope | undefined;
  /** What becomes of an approved call whose tool is not the one that it was approved for. */
  readonly onDrift: 'ask' | 'deny';
  /** The functions that verify an approved call before it executes; all of them must accept it. */
  readonly approvalVerifiers: readonly VerifyApproval[];
  /** The ids of the calls that delegated to the agent of this run, the outermost first. */
  readonly path: readonly string[];
  /** Whether the model is told with which arguments a call has run that somebody edited. */
  readonly reportEditedArgs: boolean;
  /** Whether somebody wants to know what happens. */
  readonly observed: boolean;
  /**
   * Emits an event; a promise if the observer wants to be waited for. `isRecorded`: the event reports the result of a
   * step that did not start in this attempt.
   */
  emit(event: ToolEvent, isRecorded?: boolean): Promise<void> | undefined;
}
