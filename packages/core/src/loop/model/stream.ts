import { withToolKind } from '../../messages/tool-kind.ts';
import type { StepEvent } from '../../events/run-events.ts';
import { UnexpectedModelBehavior } from '../../errors/model-errors.ts';
import type {
  NativeToolCallPart,
  ResponsePart,
  ToolCallPart,
} from '../../messages/response-part.ts';
import type {
  ModelResponseData,
  ModelStreamEvent,
  PartDelta,
  PartDone,
  StreamFinish,
} from '../../models/model.ts';
import { isAlwaysDeferred } from '../../models/tool-definition.ts';
import { invariant } from '../../internal/invariant.ts';
import type { Run } from '../run.ts';

/** Emits the events of a streamed response as they arrive, and returns the complete response. */
export async function streamResponse(
  run: Run,
  stream: AsyncIterable<ModelStreamEvent>,
): Promise<ModelResponseData> {
  const builder = new ResponseBuilder(run);
  run.partialResponse = () => builder.partsSoFar();
  for await (const event of stream) {
    // A cancelled run emits nothing more, and requests no further event.
    run.cancellation.throwIfCancelled();
    await builder.add(event);
    run.cancellation.throwIfCancelled();
  }
  return builder.finish();
}

/** Emits the events of a response that arrived in one piece. `isRecorded`: it is from an earlier attempt at the run. */
export async function emitComplete(
  run: Run,
  response: ModelResponseData,
  isRecorded: boolean,
): Promise<void> {
  const builder = new ResponseBuilder(run, isRecorded);
  await builder.begin();
  for (const [index, part] of response.parts.entries()) {
    await builder.add({ kind: 'part-start', index, part });
    await builder.add({ kind: 'part-done', index });
  }
}

interface PartDraft {
  readonly start: ResponsePart;
  /** The pieces of the text or the arguments so far. */
  readonly pieces: string[];
  /** The complete part. */
  done: ResponsePart | undefined;
}

class ResponseBuilder {
  readonly #run: Run;
  readonly #isRecorded: boolean;
  readonly #drafts: PartDraft[] = [];
  #finish: StreamFinish | undefined;
  #hasBegun = false;
  #finalSeen = false;

  constructor(run: Run, isRecorded = false) {
    this.#run = run;
    this.#isRecorded = isRecorded;
  }

  /** Emits the start of the response, once. */
  async begin(): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { runId, runStep } = this.#run;
    await this.#emit({ kind: 'response-start', runId, runStep });
  }

  async add(event: ModelStreamEvent): Promise<void> {
    if (!this.#hasBegun) await this.begin();
    switch (event.kind) {
      case 'text-delta':
      case 'thinking-delta':
      case 'args-delta':
        this.#draft(event.index).pieces.push(event.text);
        return this.#emit(event);
      case 'part-start':
        return this.#start(event.index, event.part);
      case 'part-done':
        return this.#end(event.index, event);
      case 'finish':
        this.#finish = event;
    }
  }

  async finish(): Promise<ModelResponseData> {
    for (const [index, draft] of this.#drafts.entries()) {
      if (draft.done === undefined) await this.#end(index);
    }
    if (this.#finish === undefined) {
      throw new UnexpectedModelBehavior(
        `The stream of \`${this.#run.model.name}\` ended before the response was complete. Start a run from the history so far.`,
      );
    }
    const { kind: _, ...fields } = this.#finish;
    const parts = this.#drafts.map(({ done }) => invariant(done, 'every part has ended'));
    return { ...fields, parts };
  }

  /** Returns the parts so far, without incomplete tool calls: the history keeps them if the response breaks off. */
  partsSoFar(): readonly ResponsePart[] {
    return this.#drafts.flatMap((draft) => {
      if (draft.done !== undefined) return [draft.done];
      return draft.start.kind === 'text' || draft.start.kind === 'thinking'
        ? [complete(draft)]
        : [];
    });
  }

  async #start(index: number, received: ResponsePart): Promise<void> {
    if (index !== this.#drafts.length) {
      throw new UnexpectedModelBehavior(
        `\`${this.#run.model.name}\` streamed part ${index} before part ${this.#drafts.length}. Check the \`stream\` method of the model.`,
      );
    }
    const part = this.#withKind(received);
    const text = textOfStart(part);
    this.#drafts[index] = { start: part, pieces: [text], done: undefined };
    await this.#emit({ kind: 'part-start', index, part: text === '' ? part : withoutText(part) });
    const final = this.#finalSeen ? undefined : this.#finalResult(part);
    if (final !== undefined) {
      this.#finalSeen = true;
      await this.#emit({ kind: 'final-result', ...final });
    }
    // The deltas of a part contain all of its text, so an observer handles text in one place.
    if (text !== '')
      await this.#emit({ kind: DELTA_KINDS[part.kind] ?? 'args-delta', index, text });
  }

  #withKind(part: ResponsePart): ResponsePart {
    if (part.kind !== 'tool-call' || part.toolKind !== undefined) return part;
    const toolKind = this.#run.tools.get(part.toolName)?.definition.toolKind;
    return toolKind === undefined ? part : withToolKind(part, toolKind);
  }

  /** Returns the event fields of a part that can be the output of the run; `undefined` if it cannot. */
  #finalResult(part: ResponsePart): { toolName?: string; toolCallId?: string } | undefined {
    const { outputPlan, tools } = this.#run;
    if (part.kind === 'text') return outputPlan.text === undefined ? undefined : {};
    if (part.kind !== 'tool-call') return undefined;
    const { toolName, toolCallId } = part;
    if (outputPlan.tools.has(toolName)) return { toolName, toolCallId };
    const definition = tools.get(toolName)?.definition;
    return definition !== undefined && isAlwaysDeferred(definition) ? {} : undefined;
  }

  async #end(index: number, event?: PartDone): Promise<void> {
    const draft = this.#draft(index);
    draft.done = complete(draft, event);
    await this.#emit({ kind: 'part-end', index, part: draft.done });
  }

  async #emit(event: StepEvent): Promise<void> {
    await this.#run.emit(event, this.#isRecorded);
  }

  #draft(index: number): PartDraft {
    const draft = this.#drafts[index];
    if (draft === undefined) {
      throw new UnexpectedModelBehavior(
        `\`${this.#run.model.name}\` streamed a delta of part ${index}, which has not started. Check the \`stream\` method of the model.`,
      );
    }
    return draft;
  }
}

const DELTA_KINDS: { readonly [Kind in ResponsePart['kind']]?: PartDelta['kind'] } = {
  text: 'text-delta',
  thinking: 'thinking-delta',
};

/** Returns a part without the text that arrives later. */
function withoutText(part: ResponsePart): ResponsePart {
  if (part.kind === 'text' || part.kind === 'thinking') return { ...part, content: '' };
  return isCall(part) ? { ...part, args: '' } : part;
}

function textOfStart(part: ResponsePart): string {
  if (part.kind === 'text' || part.kind === 'thinking') return part.content;
  return isCall(part) && typeof part.args === 'string' ? part.args : '';
}

function complete(draft: PartDraft, event?: PartDone): ResponsePart {
  const { start } = draft;
  const text = draft.pieces.join('');
  const fields = event?.fields;
  if (start.kind === 'text' || start.kind === 'thinking') {
    return Object.freeze({ ...start, content: text, ...fields });
  }
  const whole = !isCall(start) || (typeof start.args === 'object' && text === '');
  return Object.freeze(whole ? { ...start, ...fields } : { ...start, args: text, ...fields });
}

function isCall(part: ResponsePart): part is ToolCallPart | NativeToolCallPart {
  return part.kind === 'tool-call' || part.kind === 'native-tool-call';
}
