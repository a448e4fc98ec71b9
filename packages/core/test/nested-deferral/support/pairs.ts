import {
  Agent,
  DeferredToolRequests,
  type JsonValue,
  type Message,
  messageCodec,
  type ParkedResult,
  type Tool,
  tool,
} from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import {
  calls,
  functionModel,
  type FunctionModel,
  type ResponseLike,
  says,
} from 'holdpoint/testing';
import { z } from 'zod';
import { type PlainRecord, recordOf } from '../../support/histories.ts';
import { present } from '../../support/present.ts';
import { untyped } from '../../support/untyped.ts';

/** The outputs of an agent that may park. */
export const parkingOutput = [String, DeferredToolRequests] as const;

/** An agent that may park. */
export type ParkingAgent = Agent<readonly Tool[], typeof parkingOutput>;

/** The options of a test agent, apart from its script. */
export interface AgentParts {
  readonly name?: string;
  readonly tools?: readonly Tool[];
  readonly toolsets?: PlainToolsets;
}

/** Creates a model that sends these responses in each run, and then finishes. */
export function following(...script: readonly ResponseLike[]): FunctionModel {
  return functionModel(({ messages }) => {
    const step = messages.filter(({ kind }) => kind === 'response').length;
    return script[step] ?? says('Done.');
  });
}

/** An agent that follows a script and may park. */
export function parkingAgent(script: readonly ResponseLike[], parts: AgentParts): ParkingAgent {
  return new Agent<readonly Tool[], typeof parkingOutput>({
    ...parts,
    model: following(...script),
    output: parkingOutput,
  });
}

/** A tool that needs approval, and the arguments of its executions. */
export function removeTool(name = 'remove') {
  const ran: string[] = [];
  const remove = tool({
    name,
    inputSchema: z.object({ path: z.string() }),
    requiresApproval: true,
    execute({ path }) {
      ran.push(path);
      return `removed ${path}`;
    },
  });
  return { remove, ran };
}

/**
 * A lead that calls a sub-agent `sub` in two concurrent branches, `left` and `right`. In each
 * branch, the sub-agent calls `remove` with the id `in`.
 */
export function twoBranches(options: { readonly script?: readonly ResponseLike[] } = {}) {
  const { remove, ran } = removeTool();
  const sub = new Agent<readonly Tool[]>({
    name: 'sub',
    tools: [remove],
    model: functionModel(({ messages }) => {
      const [prompt] = messages[0]?.parts ?? [];
      const path = prompt?.kind === 'user-prompt' ? String(prompt.content) : '';
      const script = options.script ?? [calls('remove', { path }, { id: 'in' })];
      return script[messages.filter(({ kind }) => kind === 'response').length] ?? says('Done.');
    }),
  });
  const both = {
    parts: ['left', 'right'].map((id) => ({
      kind: 'tool-call' as const,
      toolName: 'sub',
      toolCallId: id,
      args: { prompt: `${id}.txt` },
    })),
  };
  return { ran, sub, lead: parkingAgent([both], { tools: [sub.asTool()] }) };
}

/** Returns the messages as another process reads them. */
export function stored({ messages }: Pick<ParkedResult, 'messages'>): readonly Message[] {
  return messageCodec.parse(messageCodec.stringify(messages));
}

/** Returns a stored history with a changed step record. */
export function withRecord(
  { messages }: Pick<ParkedResult, 'messages'>,
  change: (record: PlainRecord) => unknown,
): readonly Message[] {
  const copy: Message[] = JSON.parse(messageCodec.stringify(messages)).messages;
  const index = copy.findLastIndex((message) => recordOf(message) !== undefined);
  const message = present(copy[index]);
  const holdpoint = untyped<JsonValue>(change(present(recordOf(message))));
  copy[index] = { ...message, metadata: { ...message.metadata, holdpoint } };
  return copy;
}
