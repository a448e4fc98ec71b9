import { type OptionTable, checkOptions } from '../errors/check-options.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import type { CallDetails, CallInDoubt, Question } from '../messages/call-details.ts';
import { printAs } from '../internal/inspect.ts';
import type { JsonObject, JsonValue } from '../internal/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { DeepReadonly } from '../tools/deep-readonly.ts';
import { type CallOf, validatedArgsOf } from '../tools/matched-call.ts';
import { parseArgs } from '../tools/parse-args.ts';
import { ModelRetry } from '../tools/signals.ts';
import {
  type ApprovalDecision,
  type ExternalResult,
  type ShownEdit,
  ToolApproved,
  ToolDenied,
  ToolInput,
} from './decisions.ts';
import type { AgentCall, NestedPath } from './nested-calls.ts';
import type { ValidationIssue } from '../messages/request-part.ts';

/** The validated arguments and the tool of a pending call, as the run in this process knows them. */
export interface ResolvedCall {
  /** The arguments as the tool will receive them; absent if they were not validated. */
  readonly args?: unknown;
  /** The tool as the model was offered it. */
  readonly definition?: ToolDefinition | undefined;
}

/** Options of `PendingCall.approve`. */
export interface ApproveOptions {
  /** Edited arguments: the call executes with them in place of those that the model sent. */
  readonly args?: JsonObject | undefined;
  /** The reason of the approver, for `ctx.approval.reason`. The model does not see it. */
  readonly reason?: string | undefined;
  /**
   * The result of `checkEdit` that the approver was shown for `args`. The call executes only if its validated
   * arguments and its preview are still equal to it.
   */
  readonly shown?: ShownEdit | undefined;
  /** Data for the tool, in `ctx.toolCallMetadata`. */
  readonly metadata?: JsonObject | undefined;
}

const APPROVE_OPTIONS: OptionTable<ApproveOptions> = {
  args: 'object',
  reason: 'string',
  shown: 'object',
  metadata: 'object',
};

/** A decision about one pending call, or its result, for `DeferredToolResults.of` and `buildResults`. */
export type DecisionEntry = ApprovalEntry | ExternalEntry;

/** The members that all entries have. */
export interface EntryOf<Kind, Decision> {
  /** The record of `DeferredToolResults` that the entry belongs to: `approvals` or `calls`. */
  readonly kind: Kind;
  /** The key of the pending call. */
  readonly key: string;
  readonly decision: Decision;
  /** The digest of the call that the approver was shown, if it has one. */
  readonly digest?: string | undefined;
  /** Data for the tool. */
  readonly metadata?: JsonObject | undefined;
}

/** A decision about a call that needs approval. */
export interface ApprovalEntry extends EntryOf<'approval', ApprovalDecision> {}

/** The result of an external call. */
export interface ExternalEntry extends EntryOf<'external', ExternalResult> {}

/** The parts that {@link PendingCall} is made from. */
export interface PendingCallParts {
  readonly id: string;
  readonly kind: PendingCall['kind'];
  readonly part: ToolCallPart;
  readonly path: NestedPath;
  readonly details: CallDetails;
  readonly metadata: JsonObject | undefined;
  readonly resolved: ResolvedCall | undefined;
  readonly checkEdit: EditCheck | undefined;
}

/** A tool that recognises calls to it, such as every `tool(…)`. */
export interface MatchingTool<Args> {
  matches(call: ToolCallPart): call is CallOf<Args>;
}

/**
 * A tool call without a result: one that needs approval, or one whose result comes from outside the run.
 *
 * @example
 * for (const call of requests) {
 *   if (call.is(refund) && call.args.euros < 50) decisions.push(call.approve());
 *   else decisions.push(call.deny('Refunds above 50 euros need a manager.'));
 * }
 * const results = requests.buildResults(decisions);
 */
export class PendingCall<Args = unknown> {
  /**
   * The id of the pending call. It is unique across the turns of a conversation, and stays the same while the call is
   * pending. A call that is requested again after a decision has another id. `key` and `toolCallId` are unique only
   * within one response, because providers may reuse the ids of calls.
   */
  readonly id: string;
  /**
   * `approval`: an approver decides whether it executes. `question`: it executes with an input. `external`: its result
   * comes from outside the run.
   */
  readonly kind: 'approval' | 'question' | 'external';
  readonly toolName: string;
  /** The id of the call in the run that made it. */
  readonly toolCallId: string;
  /** The id that decisions are filed under. It differs from `toolCallId` for calls of sub-agents. */
  readonly key: string;
  /** The calls to sub-agents that led to this call, outermost first; empty for a call of the run itself. */
  readonly path: readonly AgentCall[];
  /** Data that the tool attached when it deferred. The model does not see it. */
  readonly metadata: JsonObject | undefined;
  /** Everything that the run recorded about the call: preview, digest, warnings. */
  readonly details: CallDetails;
  /** The call as the model sent it, with `key` as its id: an element of `requests.approvals` or `requests.calls`. */
  readonly part: ToolCallPart;
  readonly #resolved: ResolvedCall | undefined;
  readonly #checkEdit: EditCheck | undefined;

  /** Pending calls come from `DeferredToolRequests`. */
  constructor(parts: PendingCallParts) {
    this.id = parts.id;
    this.kind = parts.kind;
    this.toolName = parts.part.toolName;
    this.toolCallId = parts.path.toolCallId;
    this.key = parts.part.toolCallId;
    this.path = parts.path.agents;
    this.metadata = parts.metadata;
    this.details = parts.details;
    this.part = parts.part;
    this.#resolved = parts.resolved;
    this.#checkEdit = parts.checkEdit;
    Object.freeze(this);
  }

  /**
   * The arguments as the tool will receive them: parsed, validated and with defaults.
   *
   * Requests that were read from messages or JSON return the validated arguments as they were recorded. For
   * a tool with `approversSee: 'input'` they return the arguments as sent, parsed. Throws a `UserError` if
   * the model sent text that is not JSON.
   */
  get args(): DeepReadonly<Args> {
    // `is` has confirmed the type of the arguments; without it the type is `unknown`.
    return this.#readArgs() as DeepReadonly<Args>;
  }

  /** The tool as the model was offered it; `undefined` for requests read from messages or JSON. */
  get definition(): ToolDefinition | undefined {
    return this.#resolved?.definition;
  }

  /** True if the validated arguments are known in this process. */
  get hasValidatedArgs(): boolean {
    return this.#resolved?.args !== undefined;
  }

  /** The description of the call by its tool; `undefined` if the tool has no preview. */
  get preview(): JsonValue | undefined {
    return this.details.preview;
  }

  /** The digest of the call, if the run computes digests. A decision with it applies to this exact call only. */
  get digest(): string | undefined {
    return this.details.digest;
  }

  /** An earlier attempt that may or may not have executed. Such a call also accepts a result. */
  get inDoubt(): CallInDoubt | undefined {
    return this.details.inDoubt;
  }

  /** True if the call was approved before, and its tool or preview changed since. */
  get drifted(): boolean {
    return this.details.drifted ?? false;
  }

  /** True if the same call was denied before in this conversation. */
  get deniedBefore(): boolean {
    return this.details.deniedBefore ?? false;
  }

  /** The question of the tool: a message, and the JSON Schema of the input. Set if `kind` is `question`. */
  get question(): Question | undefined {
    return this.details.question;
  }

  /** Returns whether this is a call to `tool` with arguments that its schema accepts, and types `args`. */
  is<ToolArgs>(tool: MatchingTool<ToolArgs>): this is PendingCall<ToolArgs> {
    const { args } = this.details;
    return tool.matches(args === undefined ? this.part : { ...this.part, args });
  }

  /**
   * Validates edited arguments, as the gate does again before the call executes, and describes the
   * edited call. Returns `undefined` for requests read from messages or JSON, because they have no
   * tools.
   */
  async checkEdit(args: JsonObject): Promise<CheckedEdit | undefined> {
    return this.#checkEdit?.(this.key, args);
  }

  /** Approves the call, with edited arguments if `args` is set. */
  approve(options: ApproveOptions = {}): ApprovalEntry {
    this.#requireApproval('approve');
    checkOptions('`approve`', options, APPROVE_OPTIONS, (name) => {
      return `Did you mean \`args: { ${name}: … }\`?`;
    });
    const { args, reason, shown, metadata } = options;
    const decision = new ToolApproved({ overrideArgs: args, reason, shown });
    return this.#entry('approval', decision, metadata);
  }

  /** Supplies the input for the question of the call. The value is validated against its schema before the call executes. */
  respond(value: JsonValue): ApprovalEntry {
    if (this.kind !== 'question') {
      throw new UserError(
        `Call \`${this.key}\` (${this.toolName}) has no question, so \`respond\` does not apply to it. ` +
          `Call ${this.kind === 'approval' ? '`approve` or `deny`' : '`resolve` with its result'}.`,
      );
    }
    return this.#entry('approval', new ToolInput(value));
  }

  /** Denies the call, or declines its question. The model receives the reason. */
  deny(reason?: string): ApprovalEntry {
    if (this.kind !== 'question') this.#requireApproval('deny');
    return this.#entry('approval', new ToolDenied(reason));
  }

  /** Supplies the result of an external call, or of a call in doubt that did execute. */
  resolve(value: ExternalResult): ExternalEntry {
    this.#requireExternal('resolve');
    return this.#entry('external', value);
  }

  /**
   * Requests changes from the model in place of a decision or a result: it receives the message and may call again.
   * The call does not execute, and the request does not count as one of the tool's retries.
   */
  retry(message: string): DecisionEntry {
    if (typeof message !== 'string' || message === '') {
      throw new UserError(
        `The message of \`retry\` is ${showValue(message)}. Pass a text that states what the model should change.`,
      );
    }
    const decision = new ModelRetry(message);
    if (this.kind === 'approval') return this.#entry('approval', decision);
    this.#requireExternal('retry');
    return this.#entry('external', decision);
  }

  /** Returns one line with the tool, its arguments and the key. */
  toString(): string {
    return `${this.kind} ${this.toolName} ${printArgs(this.#readableArgs())} (${this.key})`;
  }

  static {
    printAs(this.prototype, (call) => call.#describe());
  }

  #describe(): object {
    const { kind, toolName, key, metadata, path } = this;
    // The arguments are printed once, and a digest is of no use to a reader.
    const { args: _args, digest: _digest, ...details } = this.details;
    return {
      kind,
      toolName,
      args: this.#readableArgs(),
      key,
      ...(metadata && { metadata }),
      ...(path.length > 0 && { path: path.map((agent) => agent.toolName) }),
      ...details,
    };
  }

  /** Returns the arguments, or the text that the model sent if it cannot be parsed. */
  #readableArgs(): unknown {
    try {
      return this.#readArgs();
    } catch {
      return this.part.args;
    }
  }

  #readArgs(): unknown {
    if (this.#resolved?.args !== undefined) return this.#resolved.args;
    const { args, validatedArgs } = this.details;
    if (validatedArgs !== undefined) return validatedArgs;
    if (args !== undefined) return args;
    const matched = validatedArgsOf(this.part);
    if (matched !== undefined) return matched.args;
    const parsed = parseArgs(this.part.args);
    if (parsed.ok) return parsed.value;
    throw new UserError(
      `The arguments of call \`${this.key}\` cannot be read: ${parsed.issues[0]?.message} ` +
        'Check `call.part.args`, then deny the call or approve it with `args`.',
    );
  }

  #entry<Kind, Decision>(
    kind: Kind,
    decision: Decision,
    metadata?: JsonObject,
  ): EntryOf<Kind, Decision> {
    const { key, digest } = this;
    return Object.freeze({
      kind,
      key,
      decision,
      ...(digest !== undefined && { digest }),
      ...(metadata !== undefined && { metadata }),
    });
  }

  #requireApproval(method: string): void {
    if (this.kind === 'approval') return;
    if (this.kind === 'question') {
      throw new UserError(
        `Call \`${this.key}\` (${this.toolName}) has a question, so \`${method}\` does not apply to it. ` +
          'Call `respond` with the input, or `deny`.',
      );
    }
    throw new UserError(
      `Call \`${this.key}\` (${this.toolName}) is external, so \`${method}\` does not apply to it. ` +
        'Call `resolve` with its result, or `retry`.',
    );
  }

  #requireExternal(method: string): void {
    if (this.kind === 'external' || this.inDoubt !== undefined) return;
    if (this.kind === 'question') return this.#requireApproval(method);
    throw new UserError(
      `Call \`${this.key}\` (${this.toolName}) needs approval, so \`${method}\` does not apply to it. ` +
        'Call `approve`, `deny` or `retry`.',
    );
  }
}

/** Returns a value as JSON, with the text of the values that JSON has no form for. */
function printArgs(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    typeof member === 'bigint' ? String(member) : member,
  );
}

/** The outcome of validating edited arguments of a call. */
export type CheckedEdit =
  | {
      readonly ok: true;
      /** The validated arguments in their JSON form; as given, if the tool sets `approversSee: 'input'`. */
      readonly args: JsonValue;
      /** The description of the edited call by its tool; absent if the tool has no preview. */
      readonly preview?: JsonValue | undefined;
    }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] };

/** Validates edited arguments of a call; resolves with `undefined` if the tools are not known. */
export type EditCheck = (toolCallId: string, args: JsonObject) => Promise<CheckedEdit | undefined>;
