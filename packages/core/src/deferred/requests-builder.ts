import { quoteIds } from '../errors/quote-ids.ts';
import { UnexpectedModelBehavior } from '../errors/model-errors.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { JsonObject } from '../internal/json.ts';
import { callsWithDuplicateIds } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { EditCheck } from './checked-edit.ts';
import { pathKey, type NestedPath, nestPath, pendingCallId } from './nested-calls.ts';
import type { PendingCall, ResolvedCall } from './pending-call.ts';
import { type CheckedArgs, DeferredToolRequests } from './requests.ts';
import { type RecordByKey, DeferredToolResults } from './results.ts';

/** The data about a deferred call of the run itself. */
interface DeferredCallData {
  readonly kind: 'approval' | 'external';
  readonly metadata?: JsonObject | undefined;
  readonly details?: CallDetails | undefined;
  /** The arguments, if they were validated. */
  readonly checked?: CheckedArgs | undefined;
}

/** Returns the tool of this name, as the model was offered it. */
type FindDefinition = (toolName: string) => ToolDefinition | undefined;

/** Collects the pending calls of a run and of its sub-agents. */
export class RequestsBuilder {
  readonly #approvals: ToolCallPart[] = [];
  readonly #externals: ToolCallPart[] = [];
  readonly #questions: ToolCallPart[] = [];
  readonly #metadata: RecordByKey<JsonObject> = Object.create(null);
  readonly #details: RecordByKey<CallDetails> = Object.create(null);
  readonly #nested: RecordByKey<NestedPath> = Object.create(null);
  readonly #ids: RecordByKey<string> = Object.create(null);
  readonly #resolved: RecordByKey<ResolvedCall> = Object.create(null);
  /** The pending calls of sub-agents as these know them, by key. */
  readonly #inner = new Map<string, PendingCall>();
  readonly #step: string;
  readonly #definitionOf: FindDefinition | undefined;

  /** Takes the name of the step that the calls belong to, and `definitionOf` if the tools of the run are known. */
  constructor(step: string, definitionOf?: FindDefinition) {
    this.#step = step;
    this.#definitionOf = definitionOf;
  }

  /** Adds a call of the run itself. */
  add(call: ToolCallPart, { kind: deferral, metadata, details, checked }: DeferredCallData): void {
    const definition = this.#definitionOf?.(call.toolName);
    const kind = details?.question === undefined ? deferral : 'question';
    const id = pendingCallId(this.#step, call.toolCallId, details?.earlier?.inputs.length);
    this.#put(call, { id, kind, metadata, details, resolved: { args: checked?.args, definition } });
  }

  /** Adds the pending calls of the sub-agent that `call` started. */
  addNested(call: ToolCallPart, inner: DeferredToolRequests): void {
    for (const pending of inner) {
      const { id, kind, metadata, details, definition, part } = pending;
      const path = nestPath(call, pending);
      const key = pathKey(path);
      // Arguments that were not validated are validated when the call executes.
      const args = pending.hasValidatedArgs ? pending.args : undefined;
      const nested = Object.freeze({ ...part, toolCallId: key });
      this.#put(nested, { id, kind, metadata, details, resolved: { args, definition } });
      this.#nested[key] = path;
      this.#inner.set(key, pending);
    }
  }

  /** Builds the requests; `checkEdit` is for calls of the run itself. */
  build(checkEdit?: EditCheck): DeferredToolRequests {
    this.#requireUniqueKeys();
    return new DeferredToolRequests({
      calls: this.#externals,
      approvals: this.#approvals,
      questions: this.#questions,
      metadata: Object.freeze(this.#metadata),
      nested: Object.freeze(this.#nested),
      ids: Object.freeze(this.#ids),
      details: Object.freeze(this.#details),
      resolved: Object.freeze(this.#resolved),
      checkEdit: checkEdit && this.#withInner(checkEdit),
    });
  }

  #put(call: ToolCallPart, pending: PutCall): void {
    const { id, kind, metadata, details, resolved } = pending;
    const key = call.toolCallId;
    this.#ids[key] = id;
    const lists = {
      approval: this.#approvals,
      question: this.#questions,
      external: this.#externals,
    };
    lists[kind].push(call);
    if (metadata !== undefined) this.#metadata[key] = metadata;
    if (details !== undefined && Object.keys(details).length > 0) this.#details[key] = details;
    if (resolved.args !== undefined || resolved.definition !== undefined) {
      this.#resolved[key] = resolved;
    }
  }

  #withInner(checkEdit: EditCheck): EditCheck {
    return async (key, args) => {
      const inner = this.#inner.get(key);
      return inner === undefined ? checkEdit(key, args) : inner.checkEdit(args);
    };
  }

  /** Throws if the key of a nested call equals another key. The loop validates the ids of the run's other calls. */
  #requireUniqueKeys(): void {
    if (this.#inner.size === 0) return;
    const calls = [...this.#approvals, ...this.#questions, ...this.#externals];
    const duplicates = callsWithDuplicateIds(calls, calls);
    if (duplicates.length === 0) return;
    const keys = new Set(duplicates.map((call) => call.toolCallId));
    throw new UnexpectedModelBehavior(
      `Pending calls share a key: ${quoteIds([...keys])}. ` +
        'A decision would be ambiguous. Start a new run.',
    );
  }
}

interface PutCall extends Pick<PendingCall, 'id' | 'kind' | 'metadata'> {
  readonly details: CallDetails | undefined;
  readonly resolved: ResolvedCall;
}

/** Returns the decisions and results for the sub-agent that `call` started, by the keys that it uses itself. */
export function resultsForSubAgent(
  call: ToolCallPart,
  inner: DeferredToolRequests,
  results: DeferredToolResults,
): DeferredToolResults {
  const nested = new DeferredToolResults();
  for (const pending of inner) {
    const key = pathKey(nestPath(call, pending));
    for (const kind of ['approvals', 'calls', 'metadata', 'digests'] as const) {
      if (!Object.hasOwn(results[kind], key)) continue;
      // Each record is copied into the record of the same name, so the types agree.
      (nested[kind] as RecordByKey<unknown>)[pending.key] = results[kind][key];
    }
  }
  return nested;
}
