import { Agent } from '../../agent/agent.ts';
import type { AnyTools } from '../../agent/agent-options.ts';
import { DeferredToolRequests } from '../../deferred/requests.ts';
import { UserError } from '../../errors/user-errors.ts';
import { type JsonObject, type JsonValue, toFrozenJson } from '../../internal/json.ts';
import type { Message } from '../../messages/message.ts';
import { isToolResult } from '../../messages/request-part.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { renderRetryPrompt } from '../../messages/retry-prompt.ts';
import type { Model, ModelResponseData } from '../../models/model.ts';
import { FunctionToolset, type FunctionTools } from '../../toolsets/function-toolset.ts';
import type { Toolset } from '../../toolsets/toolset.ts';
import type { AiSdkCallOptions } from './ai-sdk-tool.ts';
import { isApproved } from './is-approved.ts';
import { OnlyAskedToolset } from './only-asked-toolset.ts';

const OUTPUT = [String, DeferredToolRequests] as const;

type GateAgent = Agent<readonly [], typeof OUTPUT>;

/**
 * Executes tools for the AI SDK. Each call is a small run of an agent whose model makes this one call,
 * so that it passes the same gate as everywhere.
 */
export class ToolGate {
  readonly #deps: unknown;
  readonly #agent: GateAgent;
  /** The same agent, except that nothing executes. */
  readonly #asked: GateAgent;

  constructor(tools: AnyTools, deps: unknown) {
    this.#deps = deps;
    // Whoever gave the tools was asked for the deps that they need.
    const toolset = new FunctionToolset(tools as FunctionTools<unknown>);
    this.#agent = agentOf(toolset);
    this.#asked = agentOf(new OnlyAskedToolset(toolset));
  }

  /** Whether somebody has to approve the call. A call that is not in order fails when it is executed. */
  async needsApproval(name: string, input: JsonObject, call: AiSdkCallOptions): Promise<boolean> {
    const model = new OneCall(callOf(name, input, call));
    const result = await this.#asked.run(PROMPT, this.#options(model, call));
    return result.status === 'parked' && result.output.approvals.length > 0;
  }

  /** Executes the call; throws what the model is to be told where there is no result. */
  async execute(name: string, input: JsonObject, call: AiSdkCallOptions): Promise<JsonValue> {
    const model = new OneCall(callOf(name, input, call));
    const options = this.#options(model, call);
    let result = await this.#agent.run(PROMPT, options);
    if (result.status === 'parked' && result.output.approvals.length > 0) {
      if (!isApproved(call.messages, call.toolCallId)) throw notApproved(name);
      const results = result.output.buildResults({ approveAll: true });
      result = await this.#agent.resume(result, results, options);
    }
    if (result.status === 'parked') throw cannotWait(name);
    return resultIn(result.messages, call.toolCallId);
  }

  #options(model: Model, { abortSignal: signal }: AiSdkCallOptions) {
    return { model, deps: this.#deps, signal };
  }
}

function agentOf(toolset: Toolset): GateAgent {
  return new Agent({ name: 'ai-sdk', toolsets: [toolset], output: OUTPUT });
}

/** Nobody reads it, but a run begins with something. */
const PROMPT = 'Call the tool.';

function callOf(
  toolName: string,
  input: JsonObject,
  { toolCallId }: AiSdkCallOptions,
): ToolCallPart {
  // What JSON makes of an object is an object.
  const args = toFrozenJson(input ?? {}, 'arguments', toolName) as JsonObject;
  return { kind: 'tool-call', toolName, toolCallId, args };
}

/** A model that makes one call and is content with whatever comes of it. */
class OneCall implements Model {
  readonly name = 'one-call';
  readonly system = 'ai-sdk';
  readonly #call: ToolCallPart;
  #isMade = false;

  constructor(call: ToolCallPart) {
    this.#call = call;
  }

  async request(): Promise<ModelResponseData> {
    if (this.#isMade) return { parts: [{ kind: 'text', content: 'Done.' }] };
    this.#isMade = true;
    return { parts: [this.#call] };
  }
}

/** What came of a call. */
function resultIn(messages: readonly Message[], toolCallId: string): JsonValue {
  for (const message of messages) {
    if (message.kind !== 'request') continue;
    for (const part of message.parts) {
      if (!isToolResult(part) || part.toolCallId !== toolCallId) continue;
      if (part.kind === 'retry-prompt') throw new Error(renderRetryPrompt(part));
      if (part.outcome === 'success') return part.content;
      const { content } = part;
      throw new Error(typeof content === 'string' ? content : JSON.stringify(content));
    }
  }
  throw new Error('The call has no result.');
}

function notApproved(name: string): UserError {
  return new UserError(
    `'${name}' runs only after somebody has approved the call, and the messages hold no approval of ` +
      'it. Answer the tool-approval-request with a tool-approval-response, and call generateText again.',
  );
}

function cannotWait(name: string): UserError {
  return new UserError(
    `'${name}' has its call answered from somewhere else, which the AI SDK cannot wait for. ` +
      'Use the tool in an Agent.',
  );
}
