import type { ToolEvent } from '../events/run-events.ts';
import type { Environment } from '../context/environment.ts';
import type { GateScope } from '../gate/gate-scope.ts';
import type { UsageLimits } from '../usage/usage.ts';
import type { RetryCounter } from './retry-counter.ts';

/** How the calls of one response execute. */
export type ParallelMode = 'parallel' | 'sequential' | 'parallel-ordered-events';

/** The parts of a run that the execution of its tools needs, in addition to those of the gate. */
export interface ExecutionScope extends GateScope {
  readonly environment: Environment;
  readonly limits: UsageLimits | undefined;
  readonly counter: RetryCounter;
  /** Records that tools were revealed. Returns those that were hidden before. */
  reveal(toolNames: readonly string[]): readonly string[];
  /** Retries of the output. */
  readonly outputRetries: number;
  /** Retries of the output so far. */
  readonly outputRetriesUsed: number;
  readonly toolTimeout: number | undefined;
  readonly parallelMode: ParallelMode;
  /** True if the model is informed of the arguments of a call that an approver edited. */
  readonly reportEditedArgs: boolean;
  /** True if the run has an observer. */
  readonly observed: boolean;
  /**
   * Emits an event. Returns a promise if the run must wait for its observer. `isRecorded`: the event reports the
   * result of a step that did not start in this attempt.
   */
  emit(event: ToolEvent, isRecorded?: boolean): Promise<void> | undefined;
}
