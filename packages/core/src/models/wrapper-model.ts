import {
  type Model,
  type ModelCall,
  type ModelResponseData,
  type ModelStreamEvent,
  streamOf,
} from './model.ts';
import type { NativeTool } from './native-tool.ts';
import type { ModelSettings } from './settings.ts';

/** A model that delegates everything to another one. Extend it and override parts. */
export class WrapperModel implements Model {
  /** The model that receives the requests. */
  readonly wrapped: Model;

  constructor(wrapped: Model) {
    this.wrapped = wrapped;
  }

  get name(): string {
    return this.wrapped.name;
  }

  get system(): string {
    return this.wrapped.system;
  }

  get settings(): ModelSettings | undefined {
    return this.wrapped.settings;
  }

  supportsNative(tool: NativeTool): boolean {
    return this.wrapped.supportsNative?.(tool) ?? false;
  }

  request(call: ModelCall): Promise<ModelResponseData> {
    return this.wrapped.request(call);
  }

  stream(call: ModelCall): AsyncIterable<ModelStreamEvent> {
    return streamOf(this.wrapped, call);
  }
}
