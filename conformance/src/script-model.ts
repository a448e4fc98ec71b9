import type { Message, Model } from 'holdpoint';
import type { RequestPart, ResponsePart } from 'holdpoint/messages';
import type { ModelCall, ModelResponseData, ModelStreamEvent } from 'holdpoint/models';
import { describeMessage } from './describe-message.ts';
import { type Described, errorOf } from './describe.ts';
import { toResponsePart } from './from-spec.ts';
import type { ResponsePartSpec, ResponseSpec } from './scenario.ts';
import type { Stage } from './stage.ts';

/** A model that returns the responses of a scenario in order and logs the requests. */
export class ScriptModel implements Model {
  readonly name = 'script';
  readonly system = 'conformance';
  readonly #agent: string;
  readonly #script: readonly ResponseSpec[];
  readonly #stage: Stage;

  constructor(agent: string, script: readonly ResponseSpec[], stage: Stage) {
    this.#agent = agent;
    this.#script = script;
    this.#stage = stage;
  }

  /** The number of responses that were not requested. */
  get unused(): number {
    return this.#script.length - this.#stage.usesOf(this.#turn);
  }

  get #turn(): string {
    return `model of ${this.#agent}`;
  }

  async request(call: ModelCall): Promise<ModelResponseData> {
    const response = this.#next(call);
    return { ...this.#ending(response), parts: (response.parts ?? []).map(toResponsePart) };
  }

  async *stream(call: ModelCall): AsyncIterable<ModelStreamEvent> {
    const response = this.#next(call);
    for (const [index, part] of (response.parts ?? []).entries()) yield* streamPart(index, part);
    yield { kind: 'finish', ...this.#ending(response) };
  }

  #next(call: ModelCall): ResponseSpec {
    this.#stage.log.modelRequests.push(describeRequest(this.#agent, call));
    const response = this.#script[this.#stage.use(this.#turn)];
    if (response === undefined) throw new Error(`The script of ${this.#agent} is over.`);
    if (response.error) throw errorOf(response.error.type, response.error.message);
    return response;
  }

  #ending(response: ResponseSpec): Omit<ModelResponseData, 'parts'> {
    const finishReason = response.finish_reason as ModelResponseData['finishReason'] | null;
    return { modelName: this.name, ...(finishReason ? { finishReason } : {}) };
  }
}

/** Streams a tool call in one piece with its arguments as JSON text, and a text in its chunks. */
function* streamPart(index: number, spec: ResponsePartSpec): Iterable<ModelStreamEvent> {
  const whole = toResponsePart(spec);
  const [first, ...rest] = spec.kind === 'tool-call' ? [] : (spec.chunks ?? [spec.content]);
  yield { kind: 'part-start', index, part: firstPiece(whole, first) };
  for (const text of rest) {
    yield { kind: spec.kind === 'thinking' ? 'thinking-delta' : 'text-delta', index, text };
  }
  yield { kind: 'part-done', index };
}

function firstPiece(part: ResponsePart, chunk: string | undefined): ResponsePart {
  if (part.kind === 'tool-call') {
    const isObject = typeof part.args === 'object' && part.args !== null;
    return isObject ? { ...part, args: JSON.stringify(part.args) } : part;
  }
  const isText = part.kind === 'text' || part.kind === 'thinking';
  return isText && chunk !== undefined ? { ...part, content: chunk } : part;
}

/** Returns a message with news about tools after its results, because providers receive the results first. */
function resultsFirst(message: Message): Message {
  if (message.kind !== 'request') return message;
  const end = message.parts.findLastIndex(
    ({ kind }) => kind === 'tool-return' || kind === 'retry-prompt',
  );
  const isEarly = ({ kind }: RequestPart, index: number) =>
    kind === 'tool-availability-delta' && index < end;
  const news = message.parts.filter(isEarly);
  if (news.length === 0) return message;
  const parts = message.parts.filter((part, index) => !isEarly(part, index));
  return { ...message, parts: parts.toSpliced(end + 1 - news.length, 0, ...news) };
}

function describeRequest(agent: string, call: ModelCall): Described {
  const definitions = [...call.functionTools, ...call.outputTools];
  const kinds = call.functionTools.filter(({ kind }) => kind !== 'function');
  const annotated = definitions.filter(({ metadata }) => metadata !== undefined);
  return {
    agent,
    function_tools: call.functionTools.map(({ name }) => name),
    tool_kinds: Object.fromEntries(kinds.map(({ name, kind }) => [name, kind])),
    ...(annotated.length === 0
      ? {}
      : {
          tool_metadata: Object.fromEntries(
            annotated.map(({ name, metadata }) => [name, metadata]),
          ),
        }),
    output_tools: call.outputTools.map(({ name }) => name),
    allow_text_output: call.allowText,
    instructions: call.instructions ?? null,
    messages: call.messages.map((message) => describeMessage(resultsFirst(message))),
  };
}
