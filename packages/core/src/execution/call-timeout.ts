import type { ToolsetTool } from '../toolsets/toolset.ts';
import type { ExecutionScope } from './scope.ts';

/** Returns the time limit of a tool in milliseconds: its own, or that of the run. */
export function timeoutOf(
  { toolTimeout }: Pick<ExecutionScope, 'toolTimeout'>,
  { definition }: Pick<ToolsetTool<never>, 'definition'>,
): number | undefined {
  return definition.timeout ?? toolTimeout;
}

/** Returns the text that reports a timeout to the model. */
export function timeoutText(timeout: number): string {
  return `The tool took longer than ${timeout} ms and was stopped.`;
}
