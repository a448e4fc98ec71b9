import type { Message } from '../messages/message.ts';
import type { HistorySnapshot } from '../messages/history.ts';
import type { SnapshotCall } from '../models/call-snapshot.ts';
import type { OutputSchema } from '../models/model.ts';
import type { NativeTool } from '../models/native-tool.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { Run } from './run.ts';

/** What a run asks of its model in the current step. */
export class RunModelCall implements SnapshotCall {
  readonly #run: Run;
  readonly historySnapshot: HistorySnapshot;
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
    const snapshot = run.wire.snapshot();
    this.historySnapshot = snapshot;
    this.messages = snapshot.messages;
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
