/** Tells whether an agent has an agent among its own tools; `undefined` if that is known only in a run. */
export type SubAgentLookup = (toolName: string) => object | 'none' | undefined;

const agentTools = new WeakMap<object, SubAgentLookup>();

/** Notes that what executes a tool runs an agent, and which agents that one has itself. */
export function registerAgentTool(executor: object, inside: SubAgentLookup): void {
  agentTools.set(executor, inside);
}

/** Whether what executes a tool runs an agent: one whose run may park and go on. */
export function isAgentTool(executor: object): boolean {
  return agentTools.has(executor);
}

/** What executes a tool of the agent that `executor` runs; see {@link SubAgentLookup}. */
export function findSubAgent(executor: object, toolName: string): object | 'none' | undefined {
  const found = agentTools.get(executor)?.(toolName);
  return typeof found === 'object' && !isAgentTool(found) ? 'none' : found;
}
