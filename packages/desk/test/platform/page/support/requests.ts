import {
  Agent,
  ApprovalRequired,
  DeferredToolRequests,
  ExternalToolset,
  FunctionToolset,
  type JsonObject,
  type RunContext,
  type Toolset,
  tool,
  WrapperToolset,
} from 'holdpoint';
import { type ToolMap, WrappedTool } from 'holdpoint/toolsets';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';

/** What a tool was called with. */
export interface Done {
  readonly toolName: string;
  readonly args: unknown;
}

/** What the model does when it is told something. */
export interface Wish {
  readonly says?: string | undefined;
  readonly calls: readonly { readonly toolName: string; readonly args: JsonObject }[];
}

const euros = z.number().positive().max(5_000).meta({
  title: 'Amount in euros',
  description: 'Goes back to the card that the order was paid with.',
});

/** What the agent is made with. */
export interface SupportOptions {
  readonly wishes: ReadonlyMap<string, Wish>;
  readonly done: Done[];
  /** Receives the idempotency key of every attempt of `wire`. */
  readonly keys: unknown[];
  /** What the name, the schema and the metadata of one of its tools say. */
  readonly odd?: string | undefined;
}

/** The agent of the tests of the page: it does what it was told to wish, and notes what was done. */
export function supportAgent({ wishes, done, keys, odd = 'odd' }: SupportOptions) {
  const note = (toolName: string) => (args: unknown) => {
    done.push({ toolName, args });
    return 'Done.';
  };
  const refund = tool({
    name: 'refund',
    description: 'Gives money back.',
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
    preview: (args) => `${args.euros} euros go back for order ${args.order}`,
    execute: note('refund'),
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
    preview: (args) => `${args.euros} euros go to the account ${args.account}`,
    execute: note('transfer'),
  });
  const anything = tool({
    name: 'anything',
    description: 'Takes whatever a model writes.',
    inputSchema: z.record(z.string(), z.unknown()),
    requiresApproval: true,
    metadata: {},
    preview: (args) => ('preview' in args ? String(args['preview']) : undefined),
    execute: note('anything'),
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
  const wire = tool({
    name: 'wire',
    description: 'Sends money, and loses the connection before the bank answers.',
    inputSchema: z.object({
      account: z.string().meta({ title: 'Account' }),
      euros: z.number().meta({ title: 'Amount in euros' }),
    }),
    requiresApproval: true,
    preview: (args) => `${args.euros} euros go to ${args.account} by wire`,
    execute(_args, ctx) {
      keys.push(ctx.idempotencyKey);
      throw new Error('Connection reset.');
    },
  });
  const elsewhere = new ExternalToolset([
    {
      name: 'ask_warehouse',
      description: 'Asks somebody in the warehouse.',
      parametersJsonSchema: {
        type: 'object',
        properties: { question: { type: 'string', title: 'Question' } },
        required: ['question'],
      },
    },
  ]);
  const model = functionModel(({ messages }) => {
    const last = messages.at(-1)?.parts.at(-1);
    const wish =
      last?.kind === 'user-prompt' && typeof last.content === 'string'
        ? wishes.get(last.content)
        : undefined;
    if (wish === undefined) return says('That is done.');
    return responds(
      ...(wish.says === undefined ? [] : [says(wish.says)]),
      ...wish.calls.map(({ toolName, args }) => calls(toolName, args)),
    );
  });
  return new Agent({
    name: 'support',
    model,
    tools: [refund, transfer, anything, wire],
    toolsets: [elsewhere, new Renaming(new FunctionToolset([oddOne]), odd)],
    output: [String, DeferredToolRequests],
  });
}

/** Gives all its tools one name, which no check has seen: as a foreign toolset may. */
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
      tools.map((one) => [
        this.#name,
        new WrappedTool(one, Object.freeze({ ...one.definition, name: this.#name })),
      ]),
    );
  }
}
