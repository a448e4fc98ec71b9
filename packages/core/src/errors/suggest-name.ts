/**
 * Names that other libraries, or other parts of this one, use for options, with our names for them.
 * The first known name is suggested.
 */
const FOREIGN: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    abortSignal: ['signal'],
    approval: ['approvals', 'requiresApproval'],
    approvalHandler: ['deferredToolHandler'],
    approvalRequired: ['requiresApproval', 'approvalPolicy'],
    approve: ['approveAll', 'approvals'],
    args: ['overrideArgs', 'inputSchema'],
    argsSchema: ['inputSchema'],
    arguments: ['args', 'overrideArgs', 'inputSchema'],
    context: ['deps'],
    dependencies: ['deps'],
    editedArgs: ['overrideArgs'],
    func: ['execute'],
    function: ['execute'],
    handler: ['execute', 'deferredToolHandler'],
    history: ['messageHistory'],
    input: ['inputSchema', 'overrideArgs'],
    inputSchema: ['parametersJsonSchema'],
    invoke: ['execute'],
    llm: ['model'],
    maxOutputTokens: ['maxTokens'],
    maxSteps: ['usageLimits'],
    maxTokens: ['modelSettings'],
    maxTurns: ['usageLimits'],
    messages: ['messageHistory'],
    needsApproval: ['requiresApproval', 'approvalPolicy'],
    onApproval: ['deferredToolHandler'],
    outputType: ['output'],
    overrideArgs: ['args'],
    parameters: ['inputSchema', 'parametersJsonSchema'],
    reason: ['message'],
    requests: ['requestLimit'],
    requireApproval: ['requiresApproval', 'approvalPolicy'],
    requiresApproval: ['approvalPolicy'],
    response: ['output'],
    result: ['returnValue'],
    resultType: ['output'],
    results: ['deferredToolResults'],
    retain: ['retention'],
    retries: ['maxRetries'],
    returnSchema: ['outputSchema'],
    run: ['execute'],
    schema: ['inputSchema', 'parametersJsonSchema'],
    settings: ['modelSettings'],
    stopWhen: ['usageLimits'],
    system: ['instructions'],
    temperature: ['modelSettings'],
    timeoutMs: ['timeout', 'toolTimeout'],
    toolCallId: ['id'],
    toolCalls: ['toolCallsLimit', 'calls'],
    tools: ['toolsets'],
    validate: ['argsValidator'],
    validator: ['argsValidator'],
    value: ['returnValue'],
  }),
);

/** Returns the known name that is closest to an unknown one, or `undefined` if none is close. */
export function suggestName(unknown: string, known: readonly string[]): string | undefined {
  const name = toCamelCase(unknown);
  if (known.includes(name)) return name;
  const foreign = FOREIGN.get(name)?.find((candidate) => known.includes(candidate));
  return foreign ?? closestName(name, known);
}

function toCamelCase(name: string): string {
  return name.replaceAll(/[_-]+([A-Za-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function closestName(name: string, known: readonly string[]): string | undefined {
  let closest: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 4)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      closest = candidate;
    }
  }
  return closest;
}

/** Counts the letters to insert, remove or replace to get from one text to another. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      const removed = (previous[column + 1] ?? 0) + 1;
      const inserted = (current[column] ?? 0) + 1;
      current.push(Math.min(replaced, removed, inserted));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
