import {
  Agent,
  ApprovalRequired,
  DeferredToolRequests,
  ExternalToolset,
  FunctionToolset,
  InputRequired,
  type JsonObject,
  type RunContext,
  type Toolset,
  tool,
  WrapperToolset,
} from 'holdpoint';
import { type ToolMap, WrappedTool } from 'holdpoint/toolsets';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';

/** A call that a tool executed. */
export interface ExecutedCall {
  readonly toolName: string;
  readonly args: unknown;
}

/** The response of the model to a prompt. */
export interface ScriptedResponse {
  readonly text?: string | undefined;
  readonly calls: readonly { readonly toolName: string; readonly args: JsonObject }[];
}

const euros = z.number().positive().max(5_000).meta({
  title: 'Amount in euros',
  description: 'Refunded to the card that paid the order.',
});

/** Options of the agent. */
export interface SupportOptions {
  readonly responses: ReadonlyMap<string, ScriptedResponse>;
  readonly executed: ExecutedCall[];
  /** Receives the idempotency key of every attempt of `deposit`. */
  readonly keys: unknown[];
  /** The name, the schema and the metadata of the tool `odd`. */
  readonly odd?: string | undefined;
  /** Set if the model streams a text, and pauses in the middle of it. */
  readonly pause?: Promise<void> | undefined;
}

/** Creates the agent of the browser tests. Its tools record their executions. */
export function supportAgent({ responses, executed, keys, odd = 'odd', pause }: SupportOptions) {
  const record = (toolName: string) => (args: unknown) => {
    executed.push({ toolName, args });
    return 'Done.';
  };
  const refund = tool({
    name: 'refund',
    description: 'Refunds an order.',
    inputSchema: z.object({
      order: z.string().meta({ title: 'Order' }),
      euros,
      reason: z.enum(['broken', 'late', 'wrong item']).meta({ title: 'Reason' }),
      letter: z
        .object({
          to: z.email().meta({ title: 'E-mail address' }),
          text: z.string().meta({ title: 'Text' }),
        })
        .optional()
        .meta({ title: 'Letter to the customer' }),
    }),
    requiresApproval: true,
    preview: (args) => `Refund €${args.euros} for order ${args.order}`,
    execute: record('refund'),
  });
  const transfer = tool({
    name: 'transfer',
    description: 'Sends money to an account.',
    inputSchema: z.object({
      account: z.string().meta({ title: 'Account' }),
      euros: z.number().positive().meta({ title: 'Amount in euros' }),
      purpose: z.string().optional().meta({ title: 'Purpose' }),
    }),
    requiresApproval: true,
    preview: (args) => `Transfer €${args.euros} to ${args.account}`,
    execute: record('transfer'),
  });
  const anything = tool({
    name: 'anything',
    description: 'Accepts any arguments.',
    inputSchema: z.record(z.string(), z.unknown()),
    requiresApproval: true,
    metadata: {},
    preview: (args) => ('preview' in args ? String(args['preview']) : undefined),
    execute: record('anything'),
  });
  const oddOne = tool({
    name: 'odd',
    description: odd,
    inputSchema: z.object({ value: z.string().meta({ title: odd, description: odd }) }),
    execute(_args, ctx) {
      if (!ctx.toolCallApproved) throw new ApprovalRequired({ [odd]: [odd] });
      throw new Error(odd);
    },
  });
  const deposit = tool({
    name: 'deposit',
    description: 'Pays a deposit, and loses the connection to the bank.',
    inputSchema: z.object({
      account: z.string().meta({ title: 'Account' }),
      euros: z.number().meta({ title: 'Amount in euros' }),
    }),
    requiresApproval: true,
    preview: (args) => `Pay a deposit of €${args.euros} to ${args.account}`,
    execute(_args, ctx) {
      keys.push(ctx.idempotencyKey);
      throw new Error('Connection reset.');
    },
  });
  const book = tool({
    name: 'book',
    description: 'Books a table. The user supplies the details.',
    inputSchema: z.object({ restaurant: z.string().meta({ title: 'Restaurant' }) }),
    execute({ restaurant }, ctx) {
      if (ctx.input === undefined) {
        const schema = z.object({
          guests: z.int().min(1).max(8).meta({ title: 'Guests' }),
          room: z.enum(['inside', 'terrace']).meta({ title: 'Room' }),
        });
        throw new InputRequired({ message: `How many guests at ${restaurant}?`, schema });
      }
      executed.push({ toolName: 'book', args: ctx.input });
      return 'Booked.';
    },
  });
  const external = new ExternalToolset([
    {
      name: 'ask_warehouse',
      description: 'Sends a question to the warehouse.',
      parametersJsonSchema: {
        type: 'object',
        properties: { question: { type: 'string', title: 'Question' } },
        required: ['question'],
      },
    },
  ]);
  const respond: Parameters<typeof functionModel>[0] = ({ messages }) => {
    const last = messages.at(-1)?.parts.at(-1);
    const isRequest = last?.kind === 'user-prompt' || last?.kind === 'retry-prompt';
    const response =
      isRequest && typeof last.content === 'string' ? responses.get(last.content) : undefined;
    if (response === undefined) return says('Done.');
    return responds(
      ...(response.text === undefined ? [] : [says(response.text)]),
      ...response.calls.map(({ toolName, args }) => calls(toolName, args)),
    );
  };
  async function* streamSlowly() {
    yield 'The lamp ';
    await pause;
    yield 'is broken <b>for good</b>.';
  }
  const model = functionModel(respond, pause && { stream: streamSlowly });
  return new Agent({
    name: 'support',
    model,
    tools: [refund, transfer, anything, deposit, book],
    toolsets: [external, new Renaming(new FunctionToolset([oddOne]), odd)],
    output: [String, DeferredToolRequests],
  });
}

/** Gives all its tools one name that was never validated. */
class Renaming extends WrapperToolset {
  readonly #name: string;

  constructor(wrapped: Toolset, name: string) {
    super(wrapped);
    this.#name = name;
  }

  protected override wrap(wrapped: Toolset): Renaming {
    return new Renaming(wrapped, this.#name);
  }

  override async getTools(ctx: RunContext): Promise<ToolMap> {
    const tools = [...(await super.getTools(ctx)).values()];
    return new Map(
      tools.map((wrapped) => [
        this.#name,
        new WrappedTool(wrapped, Object.freeze({ ...wrapped.definition, name: this.#name })),
      ]),
    );
  }
}
