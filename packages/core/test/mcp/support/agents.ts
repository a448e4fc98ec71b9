import {
  Agent,
  type DeferredToolHandler,
  DeferredToolRequests,
  type JsonValue,
  type Message,
  type ToolDefinition,
  type Toolset,
} from 'holdpoint';
import { type ScriptEntry, says, scriptedModel } from 'holdpoint/testing';
import { partsOf } from '../../support/conversation.ts';

/** An agent that may park, with a script for its model, and the tools of a server. */
export function agentWith(toolset: Toolset, ...script: readonly ScriptEntry[]) {
  return new Agent({
    model: scriptedModel(...script),
    toolsets: [toolset],
    output: [String, DeferredToolRequests],
  });
}

/** Returns the tools that a model is offered, by name. */
export async function offeredBy(toolset: Toolset): Promise<ReadonlyMap<string, ToolDefinition>> {
  const model = scriptedModel(says('Thanks.'));
  await new Agent({ model, toolsets: [toolset] }).run('What can you do?');
  const definitions = model.calls[0]?.functionTools ?? [];
  return new Map(definitions.map((definition) => [definition.name, definition]));
}

/** The result of each tool, by the id of its call. */
export function resultsOf(messages: readonly Message[]): Record<string, JsonValue> {
  return Object.fromEntries(
    partsOf(messages).flatMap((part) =>
      part.kind === 'tool-return' ? [[part.toolCallId, part.content]] : [],
    ),
  );
}

/** Returns the retry prompts that the model received. */
export function retriesIn(messages: readonly Message[]): readonly unknown[] {
  return partsOf(messages).flatMap((part) => (part.kind === 'retry-prompt' ? [part.content] : []));
}

/** Approves all calls. */
export const approving: DeferredToolHandler = (requests) =>
  requests.buildResults({ approveAll: true });

/** Returns the error of a run, without a time limit, since processes take long to exit. */
export function failureOf(run: Promise<unknown>): Promise<unknown> {
  return run.then(
    () => {
      throw new Error('It did not reject.');
    },
    (reason: unknown) => reason,
  );
}
