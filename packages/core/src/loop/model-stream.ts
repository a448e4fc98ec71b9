import type { StepEvent } from '../capabilities/events.ts';
import { UnexpectedModelBehavior } from '../errors/unexpected-model-behavior.ts';
import type { NativeToolCallPart, ResponsePart, ToolCallPart } from '../messages/response-part.ts';
import type { ModelReply, ModelStreamEvent, PartDone, StreamFinish } from '../models/model.ts';
import { isAlwaysDeferred } from '../models/tool-definition.ts';
import { GrowingText } from '../messages/growing-text.ts';
import type { Run } from './run.ts';

/** Passes the pieces of an answer on as they come, and puts the answer together. */
export async function streamReply(
  run: Run,
  stream: AsyncIterable<ModelStreamEvent>,
): Promise<ModelReply> {
  const builder = new ReplyBuilder(run);
  run.receiving = () => builder.partsSoFar();
  for await (const event of stream) {
    // What comes in after the run was stopped is not told, and nothing more is asked for.
    run.cancellation.throwIfCancelled();
    const telling = builder.take(event);
    if (telling === undefined) continue;
    await telling;
    run.cancellation.throwIfCancelled();
  }
  return builder.finish();
}

/** Emits a response that came in one piece. `isRecorded`: in an earlier attempt at the run. */
export async function emitWhole(run: Run, reply: ModelReply, isRecorded: boolean): Promise<void> {
  const builder = new ReplyBuilder(run, isRecorded);
  for (const [index, part] of reply.parts.entries()) {
    await builder.take({ kind: 'part-start', index, part });
    await builder.take({ kind: 'part-done', index });
  }
}

interface PartDraft {
  readonly start: ResponsePart;
  /** The text or the arguments so far. */
  readonly text: GrowingText;
  /** The part, once it is complete. */
  done: ResponsePart | undefined;
}

class ReplyBuilder {
  readonly #run: Run;
  readonly #isRecorded: boolean;
  readonly #drafts: PartDraft[] = [];
  #finish: StreamFinish | undefined;
  #finalSeen = false;

  constructor(run: Run, isRecorded = false) {
    this.#run = run;
    this.#isRecorded = isRecorded;
  }

  take(event: ModelStreamEvent): Promise<void> | undefined {
    switch (event.kind) {
      case 'text-delta':
      case 'thinking-delta':
      case 'args-delta':
        this.#draft(event.index).text.add(event.text);
        return this.#emit(event);
      case 'part-start':
        return this.#start(event.index, event.part);
      case 'part-done':
        return this.#end(event.index, event);
      case 'finish':
        this.#finish = event;
        return undefined;
    }
  }

  async finish(): Promise<ModelReply> {
    for (const [index, draft] of this.#drafts.entries()) {
      if (draft.done === undefined) await this.#end(index);
    }
    if (this.#finish === undefined) {
      throw new UnexpectedModelBehavior(
        `The answer of ${this.#run.model.name} ended in the middle. Run again from the history so far.`,
      );
    }
    const { kind: _, ...reply } = this.#finish;
    // All of them have just been ended.
    return { ...reply, parts: this.#drafts.map((draft) => draft.done!) };
  }

  /** What can be kept of an answer that broke off: all but tool calls that are not complete. */
  partsSoFar(): readonly ResponsePart[] {
    return this.#drafts.flatMap((draft) => {
      if (draft.done !== undefined) return [draft.done];
      return draft.start.kind === 'text' || draft.start.kind === 'thinking'
        ? [complete(draft)]
        : [];
    });
  }

  #start(index: number, part: ResponsePart): Promise<void> | undefined {
    if (index !== this.#drafts.length) {
      throw new UnexpectedModelBehavior(
        `${this.#run.model.name} streamed part ${index} where part ${this.#drafts.length} was to begin. Update or mend the model.`,
      );
    }
    this.#drafts[index] = {
      start: part,
      text: new GrowingText(textOfStart(part)),
      done: undefined,
    };
    const telling = this.#emit({ kind: 'part-start', index, part });
    const final = this.#finalSeen ? undefined : this.#finalResult(part);
    if (final === undefined) return telling;
    this.#finalSeen = true;
    return this.#both(telling, final);
  }

  async #both(
    first: Promise<void> | undefined,
    final: { toolName?: string; toolCallId?: string },
  ): Promise<void> {
    await first;
    await this.#emit({ kind: 'final-result', ...final });
  }

  /** Whether a part can be the output of the run. */
  #finalResult(part: ResponsePart): { toolName?: string; toolCallId?: string } | undefined {
    const { outputPlan, tools } = this.#run;
    if (part.kind === 'text') return outputPlan.text === undefined ? undefined : {};
    if (part.kind !== 'tool-call') return undefined;
    const { toolName, toolCallId } = part;
    if (outputPlan.tools.has(toolName)) return { toolName, toolCallId };
    const definition = tools.get(toolName)?.definition;
    return definition !== undefined && isAlwaysDeferred(definition) ? {} : undefined;
  }

  #end(index: number, event?: PartDone): Promise<void> | undefined {
    const draft = this.#draft(index);
    draft.done = complete(draft, event);
    return this.#emit({ kind: 'part-end', index, part: draft.done });
  }

  #emit(event: StepEvent): Promise<void> | undefined {
    return this.#run.emit(event, this.#isRecorded);
  }

  #draft(index: number): PartDraft {
    const draft = this.#drafts[index];
    if (draft === undefined) {
      throw new UnexpectedModelBehavior(
        `${this.#run.model.name} streamed more of part ${index}, which it had not begun. Update or mend the model.`,
      );
    }
    return draft;
  }
}

function textOfStart(part: ResponsePart): string {
  if (part.kind === 'text' || part.kind === 'thinking') return part.content;
  return isCall(part) && typeof part.args === 'string' ? part.args : '';
}

function complete(draft: PartDraft, event?: PartDone): ResponsePart {
  const { start } = draft;
  const { text } = draft.text;
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
