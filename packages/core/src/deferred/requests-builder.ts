import { UnexpectedModelBehavior } from '../errors/model-errors.ts';
import { quoteIds } from '../errors/user-errors.ts';
import type { CallDetails } from '../messages/call-details.ts';
import { isEmptyObject, type JsonObject } from '../internal/json.ts';
import { callsWithDuplicateIds } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { EditCheck, PendingCall, ResolvedCall } from './pending-call.ts';
import { pathKey, type NestedPath, nestPath, pendingCallId } from './nested-calls.ts';
import { type CheckedArgs, DeferredToolRequests } from './requests.ts';
import { byId, DeferredToolResults, type RecordByKey } from './results.ts';

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

/** A pending call, by its key in the outermost run. */
interface CollectedCall extends Pick<PendingCall, 'id' | 'kind' | 'metadata'> {
  /** The call. Its id is the key. */
  readonly part: ToolCallPart;
  readonly details: CallDetails | undefined;
  readonly resolved: ResolvedCall;
  /** The path, for a call of a sub-agent. */
  readonly path?: NestedPath;
  /** The call as the sub-agent knows it. */
  readonly inner?: PendingCall;
}

/** Collects the pending calls of a run and of its sub-agents. */
export class RequestsBuilder {
  readonly #calls: CollectedCall[] = [];
  readonly #step: string;
  readonly #definitionOf: FindDefinition | undefined;

  /** Takes the name of the step that the calls belong to, and `definitionOf` if the tools of the run are known. */
  constructor(step: string, definitionOf?: FindDefinition) {
    this.#step = step;
    this.#definitionOf = definitionOf;
  }

  /** Adds a call of the run itself. */
  add(part: ToolCallPart, { kind: deferral, metadata, details, checked }: DeferredCallData): void {
    const id = pendingCallId(this.#step, part.toolCallId, details?.earlier?.inputs.length);
    const kind = details?.question === undefined ? deferral : 'question';
    const resolved = { args: checked?.args, definition: this.#definitionOf?.(part.toolName) };
    this.#calls.push({ id, kind, part, metadata, details, resolved });
  }

  /** Adds the pending calls of the sub-agent that `call` started. */
  addNested(call: ToolCallPart, requests: DeferredToolRequests): void {
    for (const inner of requests) {
      const { id, kind, metadata, details, definition } = inner;
      const path = nestPath(call, inner);
      const part = Object.freeze({ ...inner.part, toolCallId: pathKey(path) });
      // Arguments that were not validated are validated when the call executes.
      const resolved = { args: inner.hasValidatedArgs ? inner.args : undefined, definition };
      this.#calls.push({ id, kind, part, metadata, details, resolved, path, inner });
    }
  }

  /** Builds the requests; `checkEdit` is for calls of the run itself. */
  build(checkEdit?: EditCheck): DeferredToolRequests {
    this.#requireUniqueKeys();
    return new DeferredToolRequests({
      calls: this.#partsOf('external'),
      approvals: this.#partsOf('approval'),
      questions: this.#partsOf('question'),
      metadata: this.#recordOf(({ metadata }) => metadata),
      nested: this.#recordOf(({ path }) => path),
      ids: this.#recordOf(({ id }) => id),
      details: this.#recordOf(({ details }) =>
        isEmptyObject(details ?? {}) ? undefined : details,
      ),
      resolved: this.#recordOf(({ resolved }) => (isResolved(resolved) ? resolved : undefined)),
      checkEdit: checkEdit && this.#withInner(checkEdit),
    });
  }

  #partsOf(kind: PendingCall['kind']): readonly ToolCallPart[] {
    return this.#calls.filter((call) => call.kind === kind).map(({ part }) => part);
  }

  /** Returns the values that calls have, by key; `undefined` if there are none. */
  #recordOf<Value>(
    valueOf: (call: CollectedCall) => Value | undefined,
  ): Readonly<RecordByKey<Value>> | undefined {
    let record: RecordByKey<Value> | undefined;
    for (const call of this.#calls) {
      const value = valueOf(call);
      if (value === undefined) continue;
      record ??= byId<Value>();
      record[call.part.toolCallId] = value;
    }
    return record && Object.freeze(record);
  }

  #withInner(checkEdit: EditCheck): EditCheck {
    return async (key, args) => {
      const inner = this.#calls.find(({ part }) => part.toolCallId === key)?.inner;
      return inner === undefined ? checkEdit(key, args) : inner.checkEdit(args);
    };
  }

  /** Throws if the key of a nested call equals another key. The loop validates the ids of the run's other calls. */
  #requireUniqueKeys(): void {
    if (this.#calls.every(({ inner }) => inner === undefined)) return;
    const parts = this.#calls.map(({ part }) => part);
    const duplicates = callsWithDuplicateIds(parts, parts);
    if (duplicates.length === 0) return;
    const keys = new Set(duplicates.map(({ toolCallId }) => toolCallId));
    throw new UnexpectedModelBehavior(
      `Pending calls share a key: ${quoteIds([...keys])}. ` +
        'A decision would be ambiguous. Start a new run.',
    );
  }
}

function isResolved({ args, definition }: ResolvedCall): boolean {
  return args !== undefined || definition !== undefined;
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
