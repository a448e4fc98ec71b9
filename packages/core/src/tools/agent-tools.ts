const agentTools = new WeakSet<object>();

/** Notes that what executes a tool runs an agent. */
export function noteAgentTool(executor: object): void {
  agentTools.add(executor);
}

/** Whether what executes a tool runs an agent: one whose run may park and go on. */
export function isAgentTool(executor: object): boolean {
  return agentTools.has(executor);
}
