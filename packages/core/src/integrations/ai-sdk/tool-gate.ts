import { Agent } from '../../agent/agent.ts';
import type { AnyTools } from '../../agent/agent-options.ts';
import type { RunContext } from '../../context/run-context.ts';
import { DeferredToolRequests } from '../../deferred/requests.ts';
import { UserError } from '../../errors/user-errors.ts';
import {
  isPlainObject,
  type JsonObject,
  type JsonValue,
  toFrozenJson,
} from '../../internal/json.ts';
import type { Message } from '../../messages/message.ts';
import { isToolResult, renderRetryPrompt } from '../../messages/request-part.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import type { Model, ModelResponseData } from '../../models/model.ts';
import { CallDeferred } from '../../tools/signals.ts';
import { WrapperToolset } from '../../toolsets/abstract-toolset.ts';
import { FunctionToolset, type FunctionTools } from '../../toolsets/function-toolset.ts';
import { WrappedTool } from '../../toolsets/tool-change.ts';
import type { ToolMap, Toolset, ToolsetTool } from '../../toolsets/toolset.ts';
import type { AiSdkCallOptions } from './ai-sdk-tool.ts';

const OUTPUT = [String, DeferredToolRequests] as const;

type GateAgent = Agent<readonly [], typeof OUTPUT>;

/** The prompt of the runs. A run needs one, but no model reads it. */
const PROMPT = 'Call the tool.';

/**
 * Executes tools for the AI SDK.
 *
 * Each call is a run of an agent whose model makes this one call, so it passes through the same gate as
 * the calls of every other run.
 */
export class ToolGate {
  readonly #deps: unknown;
  readonly #agent: GateAgent;
  /** The same agent, except that it executes nothing. */
  readonly #dryRunAgent: GateAgent;

  constructor(tools: AnyTools, deps: unknown) {
    this.#deps = deps;
    // The signature of `toAiSdkTools` requires the deps of the tools.
    const toolset = new FunctionToolset(tools as FunctionTools<unknown>);
    this.#agent = createAgent(toolset);
    this.#dryRunAgent = createAgent(new DryRunToolset(toolset));
  }

  /** Returns true if the call requires approval. An invalid call does not: it fails when it is executed. */
  async needsApproval(name: string, input: JsonObject, call: AiSdkCallOptions): Promise<boolean> {
    const model = new OneCallModel(toolCallPart(name, input, call));
    const result = await this.#dryRunAgent.run(PROMPT, this.#options(model, call));
    return result.status === 'parked' && result.output.approvals.length > 0;
  }

  /** Executes the call. If it has no result, throws an error with the message for the model. */
  async execute(name: string, input: JsonObject, call: AiSdkCallOptions): Promise<JsonValue> {
    const model = new OneCallModel(toolCallPart(name, input, call));
    const options = this.#options(model, call);
    let result = await this.#agent.run(PROMPT, options);
    if (result.status === 'parked' && result.output.approvals.length > 0) {
      if (!isApprovedByUser(call.messages, call.toolCallId)) throw missingApproval(name);
      const results = result.output.buildResults({ approveAll: true });
      result = await this.#agent.resume(result, results, options);
    }
    if (result.status === 'parked') throw externalCall(name);
    return resultIn(result.messages, call.toolCallId);
  }

  #options(model: Model, { abortSignal: signal }: AiSdkCallOptions) {
    return { model, deps: this.#deps, signal };
  }
}

function createAgent(toolset: Toolset): GateAgent {
  return new Agent({ name: 'ai-sdk', toolsets: [toolset], output: OUTPUT });
}

function toolCallPart(
  toolName: string,
  input: JsonObject,
  { toolCallId }: AiSdkCallOptions,
): ToolCallPart {
  // The JSON form of an object is an object.
  const args = toFrozenJson(input ?? {}, 'arguments', toolName) as JsonObject;
  return { kind: 'tool-call', toolName, toolCallId, args };
}

/** A model that makes one call, and finishes after its result. */
class OneCallModel implements Model {
  readonly name = 'one-call';
  readonly system = 'ai-sdk';
  readonly #call: ToolCallPart;
  #isDone = false;

  constructor(call: ToolCallPart) {
    this.#call = call;
  }

  async request(): Promise<ModelResponseData> {
    if (this.#isDone) return { parts: [{ kind: 'text', content: 'Done.' }] };
    this.#isDone = true;
    return { parts: [this.#call] };
  }
}

/** A toolset whose tools validate their calls, and defer them instead of executing them. */
class DryRunToolset<in Deps = unknown> extends WrapperToolset<Deps> {
  protected override wrap(wrapped: Toolset<Deps>): Toolset<Deps> {
    return new DryRunToolset(wrapped);
  }

  override async getTools(ctx: RunContext<Deps>): Promise<ToolMap<Deps>> {
    const tools = new Map<string, ToolsetTool<Deps>>();
    for (const [name, tool] of await super.getTools(ctx)) tools.set(name, new DryRunTool(tool));
    return tools;
  }
}

class DryRunTool<in Deps> extends WrappedTool<Deps> {
  constructor(tool: ToolsetTool<Deps>) {
    super(tool, tool.definition);
  }

  override execute(): never {
    throw new CallDeferred();
  }
}

/**
 * Returns true if messages of the AI SDK end with the approval of a call.
 *
 * As in the AI SDK, only the last message counts. Ids can repeat, so an earlier approval may belong to
 * another call.
 */
function isApprovedByUser(messages: readonly unknown[], toolCallId: string): boolean {
  const approvalIds = new Set(
    messages
      .flatMap((message) => partsOf(message, 'assistant'))
      .filter(
        (part) => part['type'] === 'tool-approval-request' && part['toolCallId'] === toolCallId,
      )
      .map((part) => part['approvalId']),
  );
  const decisions = partsOf(messages.at(-1), 'tool').filter(
    (part) => part['type'] === 'tool-approval-response' && approvalIds.has(part['approvalId']),
  );
  return decisions.length > 0 && decisions.every((decision) => decision['approved'] === true);
}

function partsOf(message: unknown, role: string): Readonly<Record<string, unknown>>[] {
  if (!isPlainObject(message) || message['role'] !== role) return [];
  const { content } = message;
  return Array.isArray(content) ? content.filter(isPlainObject) : [];
}

/** Returns the result of a call. Throws if it failed. */
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

function missingApproval(name: string): UserError {
  return new UserError(
    `Tool \`${name}\` requires approval, and the messages contain no approval of this call. ` +
      'Add a `tool-approval-response` to the `tool-approval-request`, and call `generateText` again.',
  );
}

function externalCall(name: string): UserError {
  return new UserError(
    `Tool \`${name}\` is external, and the AI SDK cannot park a run until the result is there. ` +
      'Use the tool in an `Agent`.',
  );
}
