import { quoteIds } from '../errors/quote-ids.ts';
import { UnexpectedModelBehavior } from '../errors/model-errors.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { JsonObject } from '../internal/json.ts';
import { callsWithDuplicateIds } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { EditCheck } from './checked-edit.ts';
import { keyOf, type NestedPlace, placeBelow } from './nested-calls.ts';
import { type CheckedArgs, DeferredToolRequests, type KnownCall } from './requests.ts';
import { type ById, byId, DeferredToolResults } from './results.ts';

/** What is asked about a call, and what is known of it. */
interface AskedCall {
  readonly as: 'approval' | 'external';
  readonly metadata?: JsonObject | undefined;
  readonly details?: CallDetails | undefined;
  /** The arguments, where they were checked. */
  readonly checked?: CheckedArgs | undefined;
  /** The tool, where it is not one of the run's own. */
  readonly definition?: ToolDefinition | undefined;
}

/** The tool of this name, as the model was offered it. */
type FindDefinition = (toolName: string) => ToolDefinition | undefined;

/** Puts requests together: calls of a run, and those that agents below it wait for. */
export class RequestsBuilder {
  /** In the order in which they were added, and what was asked about each. */
  readonly #calls: ToolCallPart[] = [];
  readonly #asked: AskedCall[] = [];
  readonly #definitionOf: FindDefinition | undefined;
  /** Made when there is something to put in: for most calls there is not. */
  #metadata: ById<JsonObject> | undefined;
  #details: ById<CallDetails> | undefined;
  #nested: ById<NestedPlace> | undefined;
  /** Where nested calls come from, by their id here. */
  #inner: Map<string, { requests: DeferredToolRequests; toolCallId: string }> | undefined;

  /** `definitionOf`: where the tools of the run are known. */
  constructor(definitionOf?: FindDefinition) {
    this.#definitionOf = definitionOf;
  }

  /** Adds a call of the run itself. */
  add(call: ToolCallPart, asked: AskedCall): void {
    const { toolCallId } = call;
    const { metadata, details } = asked;
    this.#calls.push(call);
    this.#asked.push(asked);
    if (metadata !== undefined) (this.#metadata ??= byId())[toolCallId] = metadata;
    if (details !== undefined && Object.keys(details).length > 0) {
      (this.#details ??= byId())[toolCallId] = details;
    }
  }

  /** Adds what the agent waits for that `call` has handed work to. */
  addNested(call: ToolCallPart, inner: DeferredToolRequests): void {
    for (const as of ['approval', 'external'] as const) {
      for (const one of as === 'approval' ? inner.approvals : inner.calls) {
        const place = placeBelow(call, inner.placeOf(one.toolCallId));
        const nested = Object.freeze({ ...one, toolCallId: keyOf(place) });
        this.add(nested, {
          as,
          metadata: inner.metadata[one.toolCallId],
          details: inner.details[one.toolCallId],
          // What cannot be read is sent back to the model by whoever runs it.
          checked: inner.knowsArgs(one.toolCallId)
            ? { args: inner.argsOf(one.toolCallId) }
            : undefined,
          definition: inner.definitionOf(one.toolCallId),
        });
        (this.#nested ??= byId())[nested.toolCallId] = place;
        (this.#inner ??= new Map()).set(nested.toolCallId, {
          requests: inner,
          toolCallId: one.toolCallId,
        });
      }
    }
  }

  /** The requests; `checkEdit` is for calls of the run itself. */
  build(checkEdit?: EditCheck): DeferredToolRequests {
    this.#requireUniqueIds();
    const approvals = this.#callsAs('approval');
    return new DeferredToolRequests({
      checkEdit: checkEdit && this.#withInner(checkEdit),
      calls: approvals === this.#calls ? undefined : this.#callsAs('external'),
      approvals,
      metadata: this.#metadata,
      known: this.#definitionOf || this.#inner ? () => this.#known() : undefined,
      nested: this.#nested,
      details: this.#details,
    });
  }

  #callsAs(kind: AskedCall['as']): readonly ToolCallPart[] {
    // Most often all of them wait for the same.
    if (this.#asked.every(({ as }) => as === kind)) return this.#calls;
    return this.#calls.filter((_, index) => this.#asked[index]?.as === kind);
  }

  #known(): ReadonlyMap<string, KnownCall> {
    const known = new Map<string, KnownCall>();
    for (const [index, { toolCallId, toolName }] of this.#calls.entries()) {
      // There is one for each.
      const asked = this.#asked[index]!;
      const isNested = this.#inner?.has(toolCallId) ?? false;
      const definition = isNested ? asked.definition : this.#definitionOf?.(toolName);
      known.set(toolCallId, { args: asked.checked?.args, definition });
    }
    return known;
  }

  #withInner(checkOwn: EditCheck): EditCheck {
    const below = this.#inner;
    if (below === undefined) return checkOwn;
    return async (key, args) => {
      const inner = below.get(key);
      return inner ? inner.requests.checkEdit(inner.toolCallId, args) : checkOwn(key, args);
    };
  }

  /** The calls of the run itself were found to have their own. */
  #requireUniqueIds(): void {
    if (this.#nested === undefined) return;
    const shared = callsWithDuplicateIds(this.#calls, this.#calls);
    if (shared.length === 0) return;
    const ids = new Set(shared.map((call) => call.toolCallId));
    throw new UnexpectedModelBehavior(
      `Calls that wait for an answer would be answered under the same id: ${quoteIds([...ids])}. ` +
        'An answer could not be told to be for one of them. Run again.',
    );
  }
}

/** Those of the answers that are for calls of the agent that `call` has handed work to, as it knows them. */
export function answersBelow(
  call: ToolCallPart,
  inner: DeferredToolRequests,
  results: DeferredToolResults,
): DeferredToolResults {
  const below = new DeferredToolResults();
  for (const { toolCallId } of [...inner.approvals, ...inner.calls]) {
    const key = keyOf(placeBelow(call, inner.placeOf(toolCallId)));
    for (const kind of ['approvals', 'calls', 'metadata', 'digests'] as const) {
      if (!Object.hasOwn(results[kind], key)) continue;
      // The records are copied each into its own kind.
      (below[kind] as ById<unknown>)[toolCallId] = results[kind][key];
    }
  }
  return below;
}
