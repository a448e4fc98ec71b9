import type { NativeTool } from '../models/native-tool.ts';
import type { RunContext } from './run-context.ts';

/** A tool that the provider runs, or a function that says for each step whether it is there. */
export type NativeToolSource<Deps = unknown> =
  | NativeTool
  | ((
      ctx: RunContext<Deps>,
    ) => NativeTool | undefined | null | Promise<NativeTool | undefined | null>);
