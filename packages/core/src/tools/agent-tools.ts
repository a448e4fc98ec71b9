/**
 * Finds the executor of a tool of a sub-agent: `'none'` if the agent has no such tool, `undefined` if only a
 * run can determine it.
 */
export type SubAgentLookup = (toolName: string) => object | 'none' | undefined;

const agentTools = new WeakMap<object, SubAgentLookup>();

/** Registers an executor that runs a sub-agent, with a function that finds the tools of that agent. */
export function registerAgentTool(executor: object, lookup: SubAgentLookup): void {
  agentTools.set(executor, lookup);
}

/** Returns true if an executor runs a sub-agent, whose run may park and resume. */
export function isAgentTool(executor: object): boolean {
  return agentTools.has(executor);
}

/** Returns the executor of the sub-agent that is tool `toolName` of the agent that `executor` runs. */
export function findSubAgent(executor: object, toolName: string): object | 'none' | undefined {
  const found = agentTools.get(executor)?.(toolName);
  return typeof found === 'object' && !isAgentTool(found) ? 'none' : found;
}
