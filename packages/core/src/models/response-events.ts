import type { Model, ModelCall, ModelResponseData, ModelStreamEvent } from './model.ts';

/** Streams the response of any model. A model without `stream` sends it at once. */
export function streamOf(model: Model, call: ModelCall): AsyncIterable<ModelStreamEvent> {
  return model.stream?.(call) ?? requestAsStream(model, call);
}

async function* requestAsStream(
  model: Model,
  call: ModelCall,
): AsyncGenerator<ModelStreamEvent, void, undefined> {
  for (const event of toStreamEvents(await model.request(call))) yield event;
}

/** Yields the events of a complete response. */
function* toStreamEvents({ parts, ...rest }: ModelResponseData): Generator<ModelStreamEvent> {
  for (const [index, part] of parts.entries()) {
    yield { kind: 'part-start', index, part };
    yield { kind: 'part-done', index };
  }
  yield { kind: 'finish', ...rest };
}
