import { quoteIds } from '../errors/quote-ids.ts';
import { UserError } from '../errors/user-error.ts';
import type { JsonObject } from '../messages/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { type CallOf, rememberedArgs } from '../tools/matched-call.ts';
import { parseArgs } from '../tools/parse-args.ts';
import { type ApprovalAnswer, type CallAnswer, ToolApproved } from './answers.ts';
import { type ById, byId, DeferredToolResults } from './results.ts';

/**
 * Tool calls of one model response that somebody outside the run must answer.
 *
 * A run that ends on these is *parked*: keep its messages, collect the answers in
 * {@link DeferredToolResults}, and start the next run with both. As an output type it says that a run
 * may end this way.
 */
export class DeferredToolRequests {
  /** Calls whose result is produced elsewhere. */
  readonly calls: readonly ToolCallPart[];
  /** Calls that may run once somebody approves them. */
  readonly approvals: readonly ToolCallPart[];
  /** What a tool attached when it deferred, by tool call id; no prototype. The model never sees it. */
  readonly metadata: Readonly<ById<JsonObject>>;
  readonly #args: ReadonlyMap<string, unknown>;

  constructor(requests: {
    readonly calls?: readonly ToolCallPart[] | undefined;
    readonly approvals?: readonly ToolCallPart[] | undefined;
    readonly metadata?: Readonly<ById<JsonObject>> | undefined;
    /** Validated arguments, where they are known. */
    readonly args?: ReadonlyMap<string, unknown> | undefined;
  }) {
    this.calls = Object.freeze([...(requests.calls ?? [])]);
    this.approvals = Object.freeze([...(requests.approvals ?? [])]);
    this.metadata = Object.freeze(byId(requests.metadata));
    this.#args = requests.args ?? new Map();
  }

  /**
   * Answers to these requests.
   *
   * Every id must be that of a request of its kind. `approveAll` approves what `approvals` does not
   * name; external calls always need an answer of their own.
   */
  buildResults(
    answers: {
      readonly approvals?: Readonly<ById<ApprovalAnswer>> | undefined;
      readonly calls?: Readonly<ById<CallAnswer>> | undefined;
      readonly metadata?: Readonly<ById<JsonObject>> | undefined;
      readonly approveAll?: boolean | undefined;
    } = {},
  ): DeferredToolResults {
    requireKnown('approvals', answers.approvals, this.approvals);
    requireKnown('calls', answers.calls, this.calls);
    const results = new DeferredToolResults(answers);
    if (answers.approveAll) {
      for (const { toolCallId } of this.approvals) {
        if (!Object.hasOwn(results.approvals, toolCallId)) {
          results.approvals[toolCallId] = new ToolApproved();
        }
      }
    }
    return results;
  }

  /** What `results` leaves open, or `undefined` when every call has its answer. */
  remaining(results: DeferredToolResults): DeferredToolRequests | undefined {
    const open = (call: ToolCallPart) => !results.answers(call.toolCallId);
    const calls = this.calls.filter(open);
    const approvals = this.approvals.filter(open);
    if (calls.length + approvals.length === 0) return undefined;
    const metadata = byId<JsonObject>();
    for (const { toolCallId } of [...calls, ...approvals]) {
      const own = this.metadata[toolCallId];
      if (own !== undefined) metadata[toolCallId] = own;
    }
    return new DeferredToolRequests({ calls, approvals, metadata, args: this.#args });
  }

  /**
   * The arguments of a call as its tool will get them: parsed, checked and with defaults filled in.
   *
   * Requests that were read back from messages or JSON have not met their tools: there it is what the
   * model sent, parsed.
   */
  argsOf<Args = unknown>(call: string | CallOf<Args>): Args {
    const toolCallId = typeof call === 'string' ? call : call.toolCallId;
    const request = [...this.approvals, ...this.calls].find((one) => one.toolCallId === toolCallId);
    if (request === undefined) {
      throw new UserError(`There is no request with the tool call id '${toolCallId}'.`);
    }
    // The type is that of the tool which has said that the call matches.
    return checkedArgs(request, this.#args) as Args;
  }
}

function checkedArgs(call: ToolCallPart, known: ReadonlyMap<string, unknown>): unknown {
  if (known.has(call.toolCallId)) return known.get(call.toolCallId);
  const remembered = rememberedArgs(call);
  if (remembered !== undefined) return remembered.args;
  const parsed = parseArgs(call.args);
  if (parsed.ok) return parsed.value;
  throw new UserError(
    `The arguments of call '${call.toolCallId}' cannot be read: ${parsed.issues[0]?.message}`,
  );
}

function requireKnown(
  name: 'approvals' | 'calls',
  answers: Readonly<ById<unknown>> | undefined,
  requests: readonly ToolCallPart[],
): void {
  const known = new Set(requests.map((call) => call.toolCallId));
  const unknown = Object.keys(answers ?? {}).filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  throw new UserError(
    `${name} has answers for ${quoteIds(unknown.toSorted())}, but the ${name} of these requests are ${quoteIds([...known].toSorted())}.`,
  );
}
