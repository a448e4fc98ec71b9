import type { NativeTool } from '../models/native-tool.ts';
import type { RunContext } from './run-context.ts';

/** A native tool, or a function that returns it in the steps in which it is available. */
export type NativeToolSource<Deps = unknown> =
  | NativeTool
  | ((
      ctx: RunContext<Deps>,
    ) => NativeTool | undefined | null | Promise<NativeTool | undefined | null>);
