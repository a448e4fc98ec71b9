import { AbstractToolset, type Message, type RunContext, tool, FunctionToolset } from 'holdpoint';
import { functionModel, type ResponseLike, says } from 'holdpoint/testing';
import { z } from 'zod';

/** The effects of a run, over all attempts. */
export class Log {
  readonly lines: string[] = [];

  add(line: string): void {
    this.lines.push(line);
  }

  count(line: string): number {
    return this.lines.filter((one) => one === line).length;
  }
}

/** A model that depends only on the number of responses in the history, so that every attempt gets the same. */
export function turns(log: Log, ...responses: readonly ResponseLike[]) {
  return functionModel(({ messages }) => {
    const turn = responsesIn(messages);
    log.add(`model ${turn}`);
    return responses[turn] ?? says('Done.');
  });
}

export function responsesIn(messages: readonly Message[]): number {
  return messages.filter(({ kind }) => kind === 'response').length;
}

/** Returns a tool that needs an approval. */
export function payTool(log: Log) {
  return tool({
    name: 'pay',
    inputSchema: z.object({ to: z.string() }),
    requiresApproval: true,
    execute: ({ to }) => {
      log.add(`paid ${to}`);
      return `paid ${to}`;
    },
  });
}

/** A toolset that counts how often it is opened and closed. */
export class CountedToolset extends AbstractToolset {
  readonly label = 'a counted toolset';
  readonly #log: Log;
  readonly #inner;

  constructor(log: Log) {
    super();
    this.#log = log;
    this.#inner = new FunctionToolset([
      tool({
        name: 'read',
        inputSchema: z.object({ path: z.string() }),
        readOnly: true,
        execute: ({ path }) => {
          log.add(`read ${path}`);
          return `content of ${path}`;
        },
      }),
    ]);
  }

  override get id(): string {
    return 'counted';
  }

  async open(): Promise<void> {
    this.#log.add('open');
  }

  async close(): Promise<void> {
    this.#log.add('close');
  }

  getTools(ctx: RunContext) {
    return this.#inner.getTools(ctx);
  }
}
