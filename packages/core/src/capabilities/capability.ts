import type { DeferredToolHandler } from '../deferred/handler.ts';
import type { ToolsPrepare } from '../toolsets/prepared.ts';
import type { ToolSearchOptions } from '../toolsets/tool-search/tool-search-toolset.ts';

/** A bundle of behaviour that an agent or a run can have. */
export interface Capability<in Deps = unknown> {
  /** What it is called in errors. */
  readonly name: string;
  /**
   * Answers deferred calls while the run waits. It may leave calls open: the next capability is asked
   * for those, and in the end the run's `deferredToolHandler`.
   */
  readonly handleDeferredToolCalls?: DeferredToolHandler<Deps> | undefined;
  /** Changes, leaves out or orders the tools in each step. */
  readonly prepareTools?: ToolsPrepare<Deps> | undefined;
  /** How hidden tools are searched. */
  readonly toolSearch?: ToolSearchOptions | undefined;
}
