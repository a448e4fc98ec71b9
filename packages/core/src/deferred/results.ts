import type { JsonObject } from '../messages/json.ts';
import {
  type Answer,
  type ApprovalAnswer,
  type CallAnswer,
  toApprovalAnswer,
  toCallAnswer,
} from './answers.ts';

/** Something by tool call id. Ids come from outside, so these records have no prototype. */
export type ById<Value> = Record<string, Value>;

/**
 * The answers to a parked run's calls, by tool call id: fill it in and give it to the next run.
 *
 * @example
 * const results = new DeferredToolResults()
 * for (const call of requests.approvals) results.approvals[call.toolCallId] = await ask(call)
 */
export class DeferredToolResults {
  /** Answers to calls whose result comes from somewhere else. */
  readonly calls: ById<CallAnswer>;
  /** Answers to calls that need approval. */
  readonly approvals: ById<ApprovalAnswer>;
  /** What a tool finds in `ctx.toolCallMetadata` when its approved call runs. */
  readonly metadata: ById<JsonObject>;

  constructor(
    answers: {
      readonly calls?: Readonly<ById<CallAnswer>> | undefined;
      readonly approvals?: Readonly<ById<ApprovalAnswer>> | undefined;
      readonly metadata?: Readonly<ById<JsonObject>> | undefined;
    } = {},
  ) {
    this.calls = byId(answers.calls);
    this.approvals = byId(answers.approvals);
    this.metadata = byId(answers.metadata);
  }

  /** Whether there is an answer for a call. */
  answers(toolCallId: string): boolean {
    return Object.hasOwn(this.calls, toolCallId) || Object.hasOwn(this.approvals, toolCallId);
  }

  /** Adds the answers of `other`; its answers win over those that are here. */
  update(other: DeferredToolResults): void {
    Object.assign(this.calls, other.calls);
    Object.assign(this.approvals, other.approvals);
    Object.assign(this.metadata, other.metadata);
  }

  /** All answers in one form, by tool call id: `true` as `ToolApproved`, a plain value as `ToolReturn`, and so on. */
  toToolCallResults(): Readonly<ById<Answer>> {
    const results = byId<Answer>();
    for (const [id, answer] of Object.entries(this.approvals))
      results[id] = toApprovalAnswer(answer);
    for (const [id, answer] of Object.entries(this.calls)) results[id] = toCallAnswer(answer);
    return results;
  }
}

/** A record without a prototype, with the entries of another one. */
export function byId<Value>(entries?: Readonly<ById<Value>> | undefined): ById<Value> {
  return Object.assign(Object.create(null), entries);
}
