/** Types to implement a `Toolset`. */

export type { ToolsetFactory } from '../toolsets/dynamic-toolset.ts';
export type { ExternalTool } from '../toolsets/external-toolset.ts';
export type { FunctionTools, FunctionToolsetOptions } from '../toolsets/function-toolset.ts';
export { type ToolChange, WrappedTool } from '../toolsets/tool-change.ts';
export type { Delegation, ToolMap, ToolsetTool } from '../toolsets/toolset.ts';
export type { ToolsPrepare } from '../toolsets/transforms.ts';
