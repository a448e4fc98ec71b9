import {
  Agent,
  ApprovalRequired,
  DeferredToolRequests,
  type Message,
  type Tool,
  tool,
} from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';
import { resultsIn } from '../../support/toolsets.ts';

const OUTPUT = [String, DeferredToolRequests] as const;

/** An agent that may park. */
export type Lead = Agent<readonly Tool[], typeof OUTPUT>;

const inputSchema = z.object({ path: z.string() });

/**
 * Three levels of agents. The lead calls two managers and `publish` in one response. Each manager
 * has a worker that removes a file and, if that was approved, moves another one.
 */
export function leadOfTeam(note: (effect: string) => void): Lead {
  const remove = tool({
    name: 'remove',
    inputSchema,
    requiresApproval: true,
    execute({ path }) {
      note(`removed ${path}`);
      return 'removed';
    },
  });
  const move = tool({
    name: 'move',
    inputSchema,
    execute({ path }, ctx) {
      if (!ctx.toolCallApproved) throw new ApprovalRequired({ to: `archive/${path}` });
      note(`moved ${path}`);
      return 'moved';
    },
  });
  const publish = tool({
    name: 'publish',
    requiresApproval: true,
    execute() {
      note('published');
      return 'published';
    },
  });
  const worker = new Agent<readonly Tool[]>({
    name: 'worker',
    tools: [remove, move],
    model: functionModel(({ messages }) => {
      const path = promptOf(messages);
      const [removed, moved] = resultsIn(messages);
      if (removed === undefined) return calls('remove', { path }, { id: 'r' });
      if (removed !== 'removed') return says(`${path} stays: ${String(removed)}`);
      return moved === undefined
        ? calls('move', { path }, { id: 'm' })
        : says(`${path} was removed and ${String(moved)}`);
    }),
  });
  const manager = new Agent<readonly Tool[]>({
    name: 'manager',
    tools: [worker.asTool()],
    model: functionModel(({ messages }) => {
      const [done] = resultsIn(messages);
      return done === undefined
        ? calls('worker', { prompt: promptOf(messages) }, { id: 'w' })
        : says(textOfResult(done));
    }),
  });
  return new Agent<readonly Tool[], typeof OUTPUT>({
    name: 'lead',
    tools: [manager.asTool(), publish],
    output: OUTPUT,
    model: functionModel(({ messages }) => {
      const results = resultsIn(messages);
      if (results.length > 0) return says(results.map(textOfResult).toSorted().join('; '));
      return responds(
        calls('manager', { prompt: 'left.txt' }, { id: 'left' }),
        calls('publish', {}, { id: 'own' }),
        calls('manager', { prompt: 'right.txt' }, { id: 'right' }),
      );
    }),
  });
}

/** Returns the prompt of an agent. */
function promptOf([first]: readonly Message[]): string {
  const [part] = first?.parts ?? [];
  return part?.kind === 'user-prompt' ? String(part.content) : '';
}

function textOfResult(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}
