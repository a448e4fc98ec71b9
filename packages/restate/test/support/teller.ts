import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';

/** The calls that executed. */
export interface Effects {
  readonly done: string[];
  /** Called while a call is executing. */
  readonly during?: ((to: string) => void | Promise<void>) | undefined;
}

/**
 * An agent whose model depends only on the history, so that every process gets the same responses. The prompt
 * `pay a, book b` leads to these calls.
 */
export function tellerAgent(effects: Effects) {
  const execute = async ({ to }: { to: string }) => {
    effects.done.push(to);
    await effects.during?.(to);
    return `done ${to}`;
  };
  const inputSchema = z.object({ to: z.string() });
  const pay = tool({ name: 'pay', inputSchema, requiresApproval: true, execute });
  const book = tool({ name: 'book', inputSchema, execute });
  return new Agent({
    name: 'teller',
    model: functionModel(({ messages }) => {
      const last = messages.at(-1)?.parts.at(-1);
      if (last?.kind !== 'user-prompt' || typeof last.content !== 'string') return says('Done.');
      const wanted = [...last.content.matchAll(/(pay|book) (\w+)/g)];
      if (wanted.length === 0) return says('Hello.');
      return responds(...wanted.map(([, name = '', to = '']) => calls(name, { to })));
    }),
    tools: [pay, book],
    output: [String, DeferredToolRequests],
  });
}
