import type { Message } from '../messages/message.ts';
import type { ModelCall, OutputSchema } from '../models/model.ts';
import type { NativeTool } from '../models/native-tool.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { Run } from './run.ts';

/** What a run asks of its model in the current step. */
export class RunModelCall implements ModelCall {
  readonly #run: Run;
  readonly messages: readonly Message[];
  readonly instructions: string | undefined;
  readonly functionTools: readonly ToolDefinition[];
  readonly outputTools: readonly ToolDefinition[];
  readonly nativeTools: readonly NativeTool[];
  readonly allowText: boolean;
  readonly outputSchema: OutputSchema | undefined;
  readonly settings: ModelSettings | undefined;

  constructor(run: Run, instructions: string | undefined) {
    const { text, definitions } = run.outputPlan;
    run.wire.closeOpenCalls();
    this.#run = run;
    this.messages = run.wire.snapshot();
    this.instructions = instructions;
    this.functionTools = run.definitions;
    this.outputTools = definitions;
    this.nativeTools = run.nativeTools;
    this.allowText = text !== undefined;
    this.outputSchema = text?.native;
    this.settings = run.modelSettings;
  }

  get signal(): AbortSignal {
    return this.#run.cancellation.signal;
  }
}
