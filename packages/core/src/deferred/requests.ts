import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { quoteIds } from '../errors/quote-ids.ts';
import { UserError } from '../errors/user-errors.ts';
import { type CallDetails, NO_DETAILS } from '../messages/call-details.ts';
import { printAs } from '../internal/inspect.ts';
import type { JsonObject } from '../internal/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { DeepReadonly } from '../tools/deep-readonly.ts';
import { type CallOf, rememberedArgs } from '../tools/matched-call.ts';
import { parseArgs } from '../tools/parse-args.ts';
import { type ApprovalAnswer, type CallAnswer, ToolApproved } from './answers.ts';
import type { CheckedEdit, EditCheck } from './checked-edit.ts';
import type { AgentCall, NestedPlace } from './nested-calls.ts';
import { type ById, byId, DeferredToolResults, frozenById } from './results.ts';

/** Arguments that were checked. */
export interface CheckedArgs {
  /** As the tool will get them; frozen. */
  readonly args: unknown;
}

/** What is known of a call where its tool is known. */
export interface KnownCall {
  /** The arguments as the tool will get them; absent where they could not be checked. */
  readonly args?: unknown;
  /** The tool, as the model was offered it. */
  readonly definition?: ToolDefinition | undefined;
}

/** What {@link DeferredToolRequests} are made from. */
export interface DeferredToolRequestsOptions {
  readonly calls?: readonly ToolCallPart[] | undefined;
  readonly approvals?: readonly ToolCallPart[] | undefined;
  readonly metadata?: Readonly<ById<JsonObject>> | undefined;
  /** Tells what is known of the calls, by their id, where their tools are known. */
  readonly known?: (() => ReadonlyMap<string, KnownCall>) | undefined;
  readonly nested?: Readonly<ById<NestedPlace>> | undefined;
  readonly details?: Readonly<ById<CallDetails>> | undefined;
  /** Checks edits, where the tools are known. */
  readonly checkEdit?: EditCheck | undefined;
}

const OPTIONS: OptionTable<DeferredToolRequestsOptions> = {
  calls: 'list',
  approvals: 'list',
  metadata: 'object',
  known: 'function',
  nested: 'object',
  details: 'object',
  checkEdit: 'function',
};

/** What {@link DeferredToolRequests.buildResults} makes results from. */
export interface BuildResultsOptions {
  readonly approvals?: Readonly<ById<ApprovalAnswer>> | undefined;
  readonly calls?: Readonly<ById<CallAnswer>> | undefined;
  readonly metadata?: Readonly<ById<JsonObject>> | undefined;
  /** Whether calls that `approvals` does not name are approved. */
  readonly approveAll?: boolean | undefined;
}

const BUILD_OPTIONS: OptionTable<BuildResultsOptions> = {
  approvals: 'object',
  calls: 'object',
  metadata: 'object',
  approveAll: 'boolean',
};

/**
 * Tool calls of one model response that somebody outside the run must answer.
 *
 * A run that ends on these is *parked*: keep its messages, collect the answers in
 * {@link DeferredToolResults}, and start the next run with both. As an output type it says that a run
 * may end this way.
 *
 * Calls that agents below have made are in the same lists. Their `toolCallId` is made of the ids from
 * the outermost call down, and `pathOf` tells who made them.
 */
export class DeferredToolRequests {
  /** Calls whose result is produced elsewhere. */
  readonly calls: readonly ToolCallPart[];
  /** Calls that may run once somebody approves them. */
  readonly approvals: readonly ToolCallPart[];
  /** What a tool attached when it deferred, by tool call id; no prototype. The model never sees it. */
  readonly metadata: Readonly<ById<JsonObject>>;
  /** Where the calls are that agents below have made, by their id here; no prototype. */
  readonly nested: Readonly<ById<NestedPlace>>;
  /** Previews, digests and warnings, by tool call id, where there are some; no prototype. */
  readonly details: Readonly<ById<CallDetails>>;
  /** Put in order when somebody wants to know: most look only at the calls. */
  readonly #known: (() => ReadonlyMap<string, KnownCall>) | undefined;
  #knownById: ReadonlyMap<string, KnownCall> | undefined;
  readonly #checkEdit: EditCheck | undefined;

  constructor(requests: DeferredToolRequestsOptions) {
    checkOptions('`DeferredToolRequests`', requests, OPTIONS);
    this.calls = frozenList(requests.calls);
    this.approvals = frozenList(requests.approvals);
    this.metadata = frozenById(requests.metadata);
    this.#known = requests.known;
    this.#checkEdit = requests.checkEdit;
    this.nested = frozenById(requests.nested);
    this.details = frozenById(requests.details);
  }

  /**
   * Answers to these requests.
   *
   * Every id must be that of a request of its kind. `approveAll` approves what `approvals` does not
   * name; external calls always need an answer of their own. Where calls have digests, the answers
   * carry them.
   */
  buildResults(answers: BuildResultsOptions = {}): DeferredToolResults {
    checkOptions('`buildResults`', answers, BUILD_OPTIONS);
    if (answers.approvals !== undefined) {
      requireKnown('approvals', answers.approvals, this.approvals);
    }
    if (answers.calls !== undefined) {
      // What nobody knows about can be said to have run, with its result.
      const inDoubt = this.approvals.filter((call) => this.detailsOf(call).inDoubt !== undefined);
      requireKnown('calls', answers.calls, [...this.calls, ...inDoubt]);
    }
    const { approveAll, ...given } = answers;
    const results = new DeferredToolResults(given);
    if (approveAll) {
      for (const { toolCallId } of this.approvals) {
        if (!results.answers(toolCallId)) {
          results.approvals[toolCallId] = new ToolApproved();
        }
      }
    }
    // An answer is to what is asked here, and to nothing else.
    for (const id in this.details) {
      const { digest } = this.detailsOf(id);
      if (digest !== undefined && results.answers(id)) results.digests[id] = digest;
    }
    return results;
  }

  /** What `results` leaves open, or `undefined` when every call has its answer. */
  remaining(results: DeferredToolResults): DeferredToolRequests | undefined {
    const open = (call: ToolCallPart) => !results.answers(call.toolCallId);
    const calls = this.calls.filter(open);
    const approvals = this.approvals.filter(open);
    if (calls.length + approvals.length === 0) return undefined;
    const ids = [...calls, ...approvals].map((call) => call.toolCallId);
    return makeRequests({
      calls,
      approvals,
      metadata: picked(this.metadata, ids),
      nested: picked(this.nested, ids),
      details: picked(this.details, ids),
      known: this.#known,
      checkEdit: this.#checkEdit,
    });
  }

  /**
   * Checks arguments that somebody wants to put in place of those of a call, as it is done again when the
   * call runs with them, and says what it would do then. `undefined` where the tools are not known: in
   * requests that were read back from messages or JSON.
   */
  async checkEdit(call: string | ToolCallPart, args: JsonObject): Promise<CheckedEdit | undefined> {
    return this.#checkEdit?.(typeof call === 'string' ? call : call.toolCallId, args);
  }

  /** The preview of a call, its digest, and what there is to be careful about; empty if nothing is known. */
  detailsOf(call: string | ToolCallPart): CallDetails {
    return this.details[typeof call === 'string' ? call : call.toolCallId] ?? NO_DETAILS;
  }

  /**
   * The tool that a call is to, as the model was offered it: its description and its schema. `undefined`
   * where the tools are not known, as in `checkEdit`.
   */
  definitionOf(call: string | ToolCallPart): ToolDefinition | undefined {
    return this.#knownOf(typeof call === 'string' ? call : call.toolCallId)?.definition;
  }

  /** Whether the checked arguments of a call are known here. */
  knowsArgs(toolCallId: string): boolean {
    return this.#knownOf(toolCallId)?.args !== undefined;
  }

  /** The calls to agents that led to a call, from the outermost down; none if the run made it itself. */
  pathOf(call: string | ToolCallPart): readonly AgentCall[] {
    return this.placeOf(typeof call === 'string' ? call : call.toolCallId).agents;
  }

  /** Where a call is: the calls to agents that led to it, and the id that it has in its own run. */
  placeOf(toolCallId: string): NestedPlace {
    return this.nested[toolCallId] ?? { agents: [], toolCallId };
  }

  /**
   * The arguments of a call as its tool will get them: parsed, checked and with defaults filled in.
   *
   * Requests that were read back from messages or JSON return the validated arguments as they were recorded.
   * For a tool with `approversSee: 'input'` they return what the model sent, parsed.
   */
  argsOf<Args = unknown>(call: string | CallOf<Args>): DeepReadonly<Args> {
    const toolCallId = typeof call === 'string' ? call : call.toolCallId;
    const request = [...this.approvals, ...this.calls].find((one) => one.toolCallId === toolCallId);
    if (request === undefined) {
      const ids = [...this.approvals, ...this.calls].map((one) => one.toolCallId);
      throw new UserError(
        `There is no request with the tool call id '${toolCallId}'. Take one of these: ${quoteIds(ids)}.`,
      );
    }
    // The type is that of the tool which has said that the call matches.
    return checkedArgs(
      request,
      this.#knownOf(toolCallId),
      this.detailsOf(toolCallId),
    ) as DeepReadonly<Args>;
  }

  static {
    // `console.log` prints each call with its arguments.
    printAs(this.prototype, (requests) => ({
      approvals: requests.approvals.map((call) => requests.#shown(call)),
      calls: requests.calls.map((call) => requests.#shown(call)),
    }));
  }

  #shown(call: ToolCallPart): object {
    const { toolName, toolCallId } = call;
    const metadata = this.metadata[toolCallId];
    const agents = this.pathOf(call).map((agent) => agent.toolName);
    // The arguments are shown already, and a digest says nothing to a person.
    const { args: _args, digest: _digest, ...details } = this.detailsOf(call);
    return {
      toolName,
      args: this.#readableArgs(call),
      toolCallId,
      ...(metadata && { metadata }),
      ...(agents.length > 0 && { agents }),
      ...details,
    };
  }

  #readableArgs(call: ToolCallPart): unknown {
    try {
      return this.argsOf(call);
    } catch {
      // Arguments that cannot be parsed are shown as the model sent them.
      return call.args;
    }
  }

  #knownOf(toolCallId: string): KnownCall | undefined {
    this.#knownById ??= this.#known?.();
    return this.#knownById?.get(toolCallId);
  }
}

/** Outside of the class: a bundler renames a class that refers to itself. */
function makeRequests(
  ...args: ConstructorParameters<typeof DeferredToolRequests>
): DeferredToolRequests {
  return new DeferredToolRequests(...args);
}

const NO_CALLS: readonly ToolCallPart[] = Object.freeze([]);

function frozenList(calls: readonly ToolCallPart[] = NO_CALLS): readonly ToolCallPart[] {
  return calls.length === 0 ? NO_CALLS : Object.freeze([...calls]);
}

function picked<Value>(entries: Readonly<ById<Value>>, ids: readonly string[]): ById<Value> {
  const some = byId<Value>();
  for (const id of ids) {
    const entry = entries[id];
    if (entry !== undefined) some[id] = entry;
  }
  return some;
}

function checkedArgs(
  call: ToolCallPart,
  known: KnownCall | undefined,
  { args, validatedArgs }: CallDetails,
): unknown {
  if (known?.args !== undefined) return known.args;
  if (validatedArgs !== undefined) return validatedArgs;
  if (args !== undefined) return args;
  const remembered = rememberedArgs(call);
  if (remembered !== undefined) return remembered.args;
  const parsed = parseArgs(call.args);
  if (parsed.ok) return parsed.value;
  throw new UserError(
    `The arguments of call '${call.toolCallId}' cannot be read: ${parsed.issues[0]?.message} ` +
      'Look at call.args, and deny the call or approve it with overrideArgs.',
  );
}

function requireKnown(
  name: 'approvals' | 'calls',
  answers: Readonly<ById<unknown>>,
  requests: readonly ToolCallPart[],
): void {
  const known = new Set<string>();
  for (const { toolCallId } of requests) known.add(toolCallId);
  const unknown = Object.keys(answers).filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  throw new UserError(
    `${name} has answers for ${quoteIds(unknown.toSorted())}, but the ${name} of these requests are ${quoteIds([...known].toSorted())}. ` +
      'Answer those.',
  );
}
