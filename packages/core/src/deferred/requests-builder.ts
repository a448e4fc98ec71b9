import { UnexpectedModelBehavior } from '../errors/model-errors.ts';
import { quoteIds } from '../errors/user-errors.ts';
import { type CallDetails, previewWithInputs } from '../messages/call-details.ts';
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

/** A step whose calls are pending. */
interface ParkingStep {
  readonly name: string;
  /** The number of times that the step was parked before. */
  readonly round?: number | undefined;
}

/** Returns the tool of this name, as the model was offered it. */
type FindDefinition = (toolName: string) => ToolDefinition | undefined;

/** Collects the pending calls of a run and of its sub-agents, by their keys in the outermost run. */
export class RequestsBuilder {
  readonly #step: ParkingStep;
  readonly #definitionOf: FindDefinition | undefined;
  readonly #parts: Readonly<Record<PendingCall['kind'], ToolCallPart[]>> = {
    approval: [],
    question: [],
    external: [],
  };
  readonly #ids: RecordByKey<string> = byId();
  #metadata: RecordByKey<JsonObject> | undefined;
  #paths: RecordByKey<NestedPath> | undefined;
  #details: RecordByKey<CallDetails> | undefined;
  #resolved: RecordByKey<ResolvedCall> | undefined;
  /** The calls of sub-agents, as those know them. */
  readonly #inner = new Map<string, PendingCall>();

  /** Takes the step that the calls belong to, and `definitionOf` if the tools of the run are known. */
  constructor(step: ParkingStep, definitionOf?: FindDefinition) {
    this.#step = step;
    this.#definitionOf = definitionOf;
  }

  /** Adds a call of the run itself. */
  add(part: ToolCallPart, { kind, metadata, details, checked }: DeferredCallData): void {
    this.#parts[details?.question === undefined ? kind : 'question'].push(part);
    const { name, round } = this.#step;
    const inputs = details?.earlier?.inputs.length;
    const id = pendingCallId(name, part.toolCallId, { inputs, round });
    const resolved = { args: checked?.args, definition: this.#definitionOf?.(part.toolName) };
    const preview = previewWithInputs(details?.preview, details);
    const shown = preview === undefined ? details : Object.freeze({ ...details, preview });
    this.#set(part.toolCallId, id, { metadata, details: shown, resolved });
  }

  /** Adds the pending calls of the sub-agent that `call` started. */
  addNested(call: ToolCallPart, requests: DeferredToolRequests): void {
    for (const inner of requests) {
      const path = nestPath(call, inner);
      const key = pathKey(path);
      this.#parts[inner.kind].push(Object.freeze({ ...inner.part, toolCallId: key }));
      const { id, metadata, details, definition } = inner;
      // Arguments that were not validated are validated when the call executes.
      const resolved = { args: inner.hasValidatedArgs ? inner.args : undefined, definition };
      this.#set(key, id, { metadata, details, resolved });
      (this.#paths ??= byId())[key] = path;
      this.#inner.set(key, inner);
    }
  }

  /** Builds the requests; `checkEdit` is for calls of the run itself. */
  build(checkEdit?: EditCheck): DeferredToolRequests {
    const { approval: approvals, question: questions, external: calls } = this.#parts;
    if (this.#inner.size > 0) requireUniqueKeys([...approvals, ...questions, ...calls]);
    return new DeferredToolRequests({
      calls,
      approvals,
      questions,
      metadata: this.#metadata && Object.freeze(this.#metadata),
      nested: this.#paths && Object.freeze(this.#paths),
      ids: Object.freeze(this.#ids),
      details: this.#details && Object.freeze(this.#details),
      resolved: this.#resolved && Object.freeze(this.#resolved),
      checkEdit: checkEdit && this.#withInner(checkEdit),
    });
  }

  #set(key: string, id: string, { metadata, details, resolved }: CollectedData): void {
    this.#ids[key] = id;
    if (metadata !== undefined) (this.#metadata ??= byId())[key] = metadata;
    if (details !== undefined && !isEmptyObject(details)) (this.#details ??= byId())[key] = details;
    if (resolved.args !== undefined || resolved.definition !== undefined) {
      (this.#resolved ??= byId())[key] = resolved;
    }
  }

  #withInner(checkEdit: EditCheck): EditCheck {
    return async (key, args) => {
      const inner = this.#inner.get(key);
      return inner === undefined ? checkEdit(key, args) : inner.checkEdit(args);
    };
  }
}

/** The data about a pending call that not every call has. */
interface CollectedData {
  readonly metadata: JsonObject | undefined;
  readonly details: CallDetails | undefined;
  readonly resolved: ResolvedCall;
}

/** Throws if the key of a nested call equals another key. The loop validates the ids of the run's other calls. */
function requireUniqueKeys(parts: readonly ToolCallPart[]): void {
  const duplicates = callsWithDuplicateIds(parts, parts);
  if (duplicates.length === 0) return;
  const keys = new Set(duplicates.map(({ toolCallId }) => toolCallId));
  throw new UnexpectedModelBehavior(
    `Pending calls share a key: ${quoteIds([...keys])}. ` +
      'A decision would be ambiguous. Start a new run.',
  );
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
