import type { Model, ModelCall, ModelResponseData, ModelStreamEvent } from './model.ts';

/** The answer of any model piece by piece; in one piece where the model does not stream. */
export function streamOf(model: Model, call: ModelCall): AsyncIterable<ModelStreamEvent> {
  return model.stream?.(call) ?? requestAsStream(model, call);
}

async function* requestAsStream(
  model: Model,
  call: ModelCall,
): AsyncGenerator<ModelStreamEvent, void, undefined> {
  for (const event of toStreamEvents(await model.request(call))) yield event;
}

/** The events of an answer that is already complete. */
function* toStreamEvents({ parts, ...rest }: ModelResponseData): Generator<ModelStreamEvent> {
  for (const [index, part] of parts.entries()) {
    yield { kind: 'part-start', index, part };
    yield { kind: 'part-done', index };
  }
  yield { kind: 'finish', ...rest };
}
